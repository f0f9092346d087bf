"""A screen a file, with the values that belong to it alone."""
