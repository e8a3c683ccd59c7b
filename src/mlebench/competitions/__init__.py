"""The competitions, one folder each."""
