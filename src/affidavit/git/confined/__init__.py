"""A repository from anywhere: kept within its folder, its filters off, its files taken untouched."""
