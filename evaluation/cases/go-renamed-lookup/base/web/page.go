// Package web shows articles.
package web

import (
	"fmt"

	"example.com/stock/store"
)

// Page is the text of an article's page.
func Page(id string) string {
	article, ok := store.FindArticle(id)
	if !ok {
		return "no such article"
	}
	return fmt.Sprintf("%s is on shelf %s", article.ID, article.Shelf)
}
