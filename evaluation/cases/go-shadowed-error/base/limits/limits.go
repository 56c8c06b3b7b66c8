// Package limits says how much each client may ask for.
package limits

// Limits are per minute.
type Limits struct {
	Requests int `json:"requests"`
	Bytes    int `json:"bytes"`
}

// Default holds where nothing else is said.
var Default = Limits{Requests: 60, Bytes: 1 << 20}

// Load returns the limits of this gate.
func Load() (Limits, error) {
	return Default, nil
}
