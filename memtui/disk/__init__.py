"""The only code that touches the file system."""
