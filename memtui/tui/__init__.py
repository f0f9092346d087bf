"""The Textual app; nothing else in the package imports Textual."""
