"""Scoring functions, one family a file; plain arrays in, a float out."""
