package fetch

import (
	"net/http"
	"time"
)

// Watch asks for a package every minute, for as long as the daemon runs.
func Watch(client *http.Client, name string, changed func([]byte)) {
	for {
		if content, err := Get(client, name); err == nil {
			changed(content)
		}
		time.Sleep(time.Minute)
	}
}
