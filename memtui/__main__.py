"""`python -m memtui`: the same as the command `memtui`."""

from memtui.cli import main

if __name__ == "__main__":
    main()
