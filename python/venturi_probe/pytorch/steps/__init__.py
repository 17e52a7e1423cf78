"""The consumer's steps: their phases, and their time on a device."""
