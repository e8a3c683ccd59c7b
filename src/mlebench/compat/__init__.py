"""Everything that exists only for programs written for the original."""
