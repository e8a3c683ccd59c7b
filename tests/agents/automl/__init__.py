"""Tests of the agent that needs no language model."""
