package main

import (
	"log"

	"example.com/gate/limits"
)

func main() {
	current, err := limits.Load()
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("limits: %+v", current)
}
