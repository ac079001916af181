"""From the text of an answer to drawing operations, off the Tk thread."""
