// Command locate prints where an article is.
package main

import (
	"fmt"
	"os"

	"example.com/stock/store"
)

func main() {
	article, ok := store.FindArticle(os.Args[1])
	if !ok {
		os.Exit(1)
	}
	fmt.Println(article.Shelf)
}
