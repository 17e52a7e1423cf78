"""Throughput of a training from the moments at which its workers' steps ended."""


def between(moments, warm_up):
    """Steps per second from the moment at which the last worker has done `warm_up` steps until the first one ends: neither start nor end of the training is
    counted. `moments` holds, for each worker, when it began and when each step ended, in s."""
    slowest = min(len(ends) - 1 for ends in moments)
    if slowest < warm_up:
        raise RuntimeError(f"a worker did {slowest} steps in all, and {warm_up} are needed to warm up")
    begin = max(ends[warm_up] for ends in moments)
    end = min(ends[-1] for ends in moments)
    counted = sum(begin < moment <= end for ends in moments for moment in ends)
    if counted == 0:
        raise RuntimeError("no step ended while all workers were at work")
    return {"steps_per_second": counted / (end - begin), "counted_steps": counted, "counted_s": end - begin}
