"""What models are told of a change: its diff, its map, its surroundings, what was said before."""
