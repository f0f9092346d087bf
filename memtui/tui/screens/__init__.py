"""One class a file."""
