"""Which loader is which, and what it is called."""
