"""Grading: one submission, many submissions, reports."""
