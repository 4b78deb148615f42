"""Drawn pictures with labels, for tests, benchmarks and training: dice on tables, everyday things, suits of cards."""
