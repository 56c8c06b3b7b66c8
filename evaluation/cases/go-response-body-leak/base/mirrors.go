package fetch

// Mirrors are asked in this order.
var Mirrors = []string{"https://a.example", "https://b.example", "https://c.example"}
