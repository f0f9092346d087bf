"""What to show, independent of the toolkit that draws it."""
