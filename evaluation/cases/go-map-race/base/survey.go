// Package sensors asks sensors for their readings.
package sensors

// Survey returns the reading of each sensor by its name.
func Survey(all []Sensor) map[string]float64 {
	readings := make(map[string]float64, len(all))
	for _, sensor := range all {
		readings[sensor.Name()] = sensor.Read()
	}
	return readings
}
