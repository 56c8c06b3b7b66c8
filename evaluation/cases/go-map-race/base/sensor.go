package sensors

// Sensor gives a reading, which may take seconds.
type Sensor interface {
	Name() string
	Read() float64
}
