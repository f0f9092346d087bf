"""The Textual app; nothing else in the package imports Textual."""

import os

# A change by another program waits for up to two frames once it is known, one for the layout and one to be drawn:
# 34 ms at Textual's 60 frames a second, of the 50 ms it may take in all. Nothing is drawn when nothing changed.
os.environ.setdefault("TEXTUAL_FPS", "120")
