"""Broken submissions by the thousand, each judged by mlebench and by an independent oracle."""
