// Package store keeps articles in memory.
package store

// Article is something on a shelf.
type Article struct {
	ID    string
	Shelf string
}

var articles = map[string]Article{}

// Put keeps an article.
func Put(article Article) {
	articles[article.ID] = article
}

// FindArticle returns an article and whether there is one.
func FindArticle(id string) (Article, bool) {
	article, ok := articles[id]
	return article, ok
}
