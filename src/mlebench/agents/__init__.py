"""Agents: what they are, where they are found, and those that come with us, one folder each."""
