"""What operators see: logs with the review they speak of, metrics, and traces across stages and calls."""
