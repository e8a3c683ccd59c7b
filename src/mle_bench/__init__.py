"""The import line ``mle_bench.validation``, which circulates although no such package existed."""
