"""Engines: llama.cpp in a child process, its client, and a scripted stand-in."""
