"""The window. Only this package and app.py import tkinter."""
