"""The vocabulary of prepare functions: tables, partitions, files, archives, formats."""
