// Command portal answers who is signed in.
package main

import (
	"log"
	"net/http"

	"example.com/portal/session"
)

func main() {
	store := session.NewStore()
	http.HandleFunc("/me", func(writer http.ResponseWriter, request *http.Request) {
		user, ok := store.User(request.Header.Get("X-Session"))
		if !ok {
			http.Error(writer, "please sign in", http.StatusUnauthorized)
			return
		}
		_, _ = writer.Write([]byte(user))
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}
