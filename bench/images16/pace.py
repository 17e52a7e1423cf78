"""The same as pace.mjs, for consumers in Python."""

import json
import time

BATCH = 64
#: Floats from one cache line of 64 bytes to the next.
LINE = 16


def measure(passes, lanes, seconds):
    """Consumes batches, pass after pass, until enough were counted, and prints the rate. Each is (images, labels)."""
    batches, began, total = 0, None, 0.0
    started = time.perf_counter()
    for batch in passes:
        total += float(batch.view(-1)[::LINE].sum())
        now = time.perf_counter()
        batches += 1
        if began is None:
            if batches >= lanes + 1 and now - started >= 2:
                began, batches = now, 0
        elif now - began >= seconds:
            break
    print(json.dumps({"imagesPerSecond": batches * BATCH / (now - began), "sum": total}), flush=True)
