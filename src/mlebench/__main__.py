"""``python -m mlebench``."""

from mlebench.cli import main

if __name__ == "__main__":
    main()
