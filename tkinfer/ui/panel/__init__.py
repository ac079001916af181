"""The settings panel: its pages and the rows they are made of."""
