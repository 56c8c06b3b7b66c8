// Package session keeps who is signed in.
package session

import "sync"

type entry struct {
	user string
}

// Store is used by all requests at the same time.
type Store struct {
	mutex   sync.Mutex
	entries map[string]entry
}

// NewStore returns a store without sessions.
func NewStore() *Store {
	return &Store{entries: map[string]entry{}}
}

// Put keeps a session.
func (s *Store) Put(token, user string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.entries[token] = entry{user: user}
}

// User returns who is signed in with a token.
func (s *Store) User(token string) (string, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	found, ok := s.entries[token]
	return found.user, ok
}

// Remove ends a session.
func (s *Store) Remove(token string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.entries, token)
}
