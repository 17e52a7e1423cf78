"""The preparation of a batch, in a worker or without one: its elements, their operators, collation, spans of the author's, lines."""
