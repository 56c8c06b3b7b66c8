// Package logs reads log files.
package logs

import "os"

// Size returns how long a log is in bytes.
func Size(path string) (int64, error) {
	about, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return about.Size(), nil
}
