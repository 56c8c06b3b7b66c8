// Package release describes the files of a release.
package release

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is the hash of a file's content.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
