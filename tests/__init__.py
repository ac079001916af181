"""The tests, and the tools that they share."""
