"""Tests of the streaming core."""
