package release

// Manifest returns the hashes of the files, in their order.
func Manifest(files [][]byte) []string {
	hashes := make([]string, len(files))
	for index, content := range files {
		hashes[index] = Hash(content)
	}
	return hashes
}
