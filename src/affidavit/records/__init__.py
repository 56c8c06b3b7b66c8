"""What flows between the rooms: pure, frozen data; JSON in, a checked record out, and back."""
