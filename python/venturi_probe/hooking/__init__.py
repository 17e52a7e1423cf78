"""Calls of a probe in code of others: put there when it is imported, taken away again, and unseen by the program."""
