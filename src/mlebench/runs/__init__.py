"""Runs: an agent in a competition with a seed, many of them, resumed, graded and recorded."""
