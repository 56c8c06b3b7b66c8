"""From the native report to what people and programs read. Every format is made from the report alone."""
