// Package fetch gets packages from the first mirror that has them.
package fetch

import (
	"fmt"
	"io"
	"net/http"
)

// Get returns the content of a package.
func Get(client *http.Client, name string) ([]byte, error) {
	for _, mirror := range Mirrors {
		response, err := client.Get(mirror + "/" + name)
		if err != nil {
			continue
		}
		defer response.Body.Close()
		return io.ReadAll(response.Body)
	}
	return nil, fmt.Errorf("no mirror has %s", name)
}
