package sensors

import "fmt"

// Report is one line for each sensor.
func Report(all []Sensor) []string {
	lines := []string{}
	for name, value := range Survey(all) {
		lines = append(lines, fmt.Sprintf("%s %.2f", name, value))
	}
	return lines
}
