"""Pure values and rules: no files, no clock, no environment, no terminal."""
