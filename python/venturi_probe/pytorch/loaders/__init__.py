"""Loaders as their consumer sees them, and the workers that serve it."""
