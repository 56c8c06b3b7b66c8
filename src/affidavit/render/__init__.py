"""From the native report to what people and programs read: a report in, one of the formats out."""
