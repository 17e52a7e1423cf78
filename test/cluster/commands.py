"""Commands of the system, run to their end."""

import subprocess


def run(*command, check=True, input=None):
    """What a command prints; where it fails, an error with what it said."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, input=input)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(word) for word in command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout
