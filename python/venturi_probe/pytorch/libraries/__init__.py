"""Libraries that transform, decode or read elements: what is hooked in each."""
