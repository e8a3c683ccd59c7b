"""What is tried, in which order, and what all of it works with."""
