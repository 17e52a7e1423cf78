"""What this machine takes for things that a recording may not have in it: `costs.py [--bytes N] [--threads N]` prints them as JSON.

`busy`: what a thread gets done per CPU second while so many are busy, in parts of what it does alone: of work that stays in its
core, and of work that moves memory. With `--bytes`, and torch: what one worker of a DataLoader takes to start, and to hand over
batches of that size; with `--threads`, what a pool of so many threads spares the thread it helps. Run after a recording, beside nothing of the recorded program.
"""

import hashlib
import json
import os
import sys
import time

#: CPU seconds that each process works for a figure, and how often that is done: the best counts, others may be in the way.
WORK_S = 0.03
ROUNDS = 3
#: More than the caches of a core hold.
MOVED_BYTES = 8 << 20
BLOCK = b"\0" * 1024


def usable_cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def counts(cores):
    """1, 2, 4 … and all of them."""
    powers = [1 << power for power in range(cores.bit_length()) if 1 << power < cores]
    return powers + [cores]


def compute():
    hashlib.sha256(BLOCK).digest()


def moving():
    source, target = bytearray(MOVED_BYTES), bytearray(MOVED_BYTES)

    def move():
        target[:] = source

    # The first time finds no pages.
    move()
    return move


def spin(seconds):
    """Keeps the interpreter busy for so much CPU time of this thread."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def pace(work, gate):
    """Units of work per CPU second, from when the gate opens."""
    os.read(gate, 1)
    began = time.process_time()
    done = 0
    while time.process_time() - began < WORK_S:
        work()
        done += 1
    return done / (time.process_time() - began)


def forked(work, *args):
    """A process that does this and ends."""
    child = os.fork()
    if child == 0:
        try:
            work(*args)
        finally:
            os._exit(0)
    return child


def together(kind, count):
    """Mean pace of so many processes at once."""
    gate, opener = os.pipe()
    results, told = os.pipe()

    def tell_pace():
        os.close(opener)
        os.write(told, b"%.6e\n" % pace(moving() if kind == "memory" else compute, gate))

    children = [forked(tell_pace) for _ in range(count)]
    time.sleep(0.01)
    os.write(opener, b"g" * count)
    for child in children:
        os.waitpid(child, 0)
    os.close(told)
    with os.fdopen(results) as file:
        paces = [float(line) for line in file]
    os.close(gate)
    os.close(opener)
    return sum(paces) / len(paces)


def busy_paces():
    rows = []
    alone = {}
    for count in counts(usable_cores()):
        row = {"threads": count}
        for kind in ("compute", "memory"):
            best = max(together(kind, count) for _ in range(ROUNDS))
            alone.setdefault(kind, best)
            row[kind] = round(min(1.0, best / alone[kind]), 4)
        rows.append(row)
    return rows


#: A consumer that orders: what it does, and how long it sleeps before the next order; what an order takes who gets it.
ORDERING_S, BETWEEN_S, ORDERED_S = 0.0003, 0.005, 0.009
ORDERS = 40


def ordered_work(orders):
    while os.read(orders, 1) == b"o":
        spin(ORDERED_S)


def wake_delay(cores):
    """ns that a thread waits for a core, on average, when it sets one of so many others to work as there are cores: that one gets the core first."""
    pipes = [os.pipe() for _ in range(cores)]
    children = [forked(ordered_work, orders) for orders, _ in pipes]
    waited = 0.0
    for number in range(ORDERS):
        began, cpu = time.monotonic(), time.thread_time()
        os.write(pipes[number % cores][1], b"o")
        spin(ORDERING_S)
        waited += max(0.0, time.monotonic() - began - (time.thread_time() - cpu))
        time.sleep(BETWEEN_S)
    for _, orderer in pipes:
        os.write(orderer, b"e")
    for child in children:
        os.waitpid(child, 0)
    for ends in pipes:
        for end in ends:
            os.close(end)
    return int(1e9 * waited / ORDERS)


#: Batches that one worker hands over: half of them awaited, half of them lying there when they are asked for.
BATCHES = 32
ELEMENTS = 8
#: What the worker sleeps over each.
FETCH_S = 0.004


class Timed:
    """Collates, and says beside the batch when that began and ended, and its CPU."""

    def __init__(self, collate):
        self.collate = collate

    def __call__(self, elements):
        began, cpu = time.monotonic_ns(), time.thread_time_ns()
        data = self.collate(elements)
        return data, began, time.monotonic_ns(), time.thread_time_ns() - cpu


class Elements:
    def __init__(self, element, batches, work):
        self.element = element
        self.batches = batches
        #: Called with the index of each.
        self.work = work

    def __len__(self):
        return self.batches * ELEMENTS

    def __getitem__(self, index):
        self.work(index)
        return self.element


def fetch(index):
    if index % ELEMENTS == 0:
        time.sleep(FETCH_S)


#: Python that a worker runs over each batch without letting its other threads in, and how long its consumer is away: two batches lie
#: there when it comes back. It takes one, which sets the worker to work again, and the other while it works.
HELD_S = 0.03
AWAY_S = 0.08
HELD_PAIRS = 8


def interpret(_):
    spin(HELD_S / ELEMENTS)


def held_receive(element, options):
    """ns that receiving a batch takes while its worker interprets: threads of the worker have a part in it, and wait for the interpreter."""
    from torch.utils.data import DataLoader

    held = []
    batches = iter(DataLoader(Elements(element, 2 * (HELD_PAIRS + 1), interpret), num_workers=1, **options))
    for _ in range(HELD_PAIRS):
        time.sleep(AWAY_S)
        next(batches)
        time.sleep(HELD_S / 10)
        asked = time.monotonic_ns()
        _, _, ended, _ = next(batches)
        if asked > ended:
            held.append(time.monotonic_ns() - asked)
    del batches
    return sorted(held)[len(held) // 2] if held else None


#: Workers that are started together, to tell what each takes from what a pass takes for having any.
TOGETHER = 4
STARTS = 2


def starting(element, workers):
    """ns that starting so many workers and ending them takes who asks for them, and how much of it is their end; the least of a few times."""
    from torch.utils.data import DataLoader

    times = []
    for _ in range(STARTS):
        before = time.monotonic_ns()
        batches = iter(DataLoader([element] * workers, num_workers=workers))
        ordered = time.monotonic_ns()
        for _ in range(workers):
            next(batches)
        last = time.monotonic_ns()
        next(batches, None)
        ending = time.monotonic_ns() - last
        times.append((ordered - before + ending, ending))
    return min(times)


def usual(values):
    """The median of the lower half: what else the machine does only ever adds."""
    ascending = sorted(max(0, value) for value in values)
    return ascending[len(ascending) // 4] if ascending else 0


def worker_costs(size):
    """What a worker costs: ns, for a batch of `size` bytes."""
    import torch
    from torch.utils.data import DataLoader, default_collate

    torch.set_num_threads(1)
    element = torch.zeros(max(1, size // 4 // ELEMENTS))
    dataset = Elements(element, BATCHES, fetch)
    options = {"batch_size": ELEMENTS, "collate_fn": Timed(default_collate)}
    own = [cpu for _, _, _, cpu in DataLoader(dataset, **options)]
    batches = iter(DataLoader(dataset, num_workers=1, **options))
    ordered = time.monotonic_ns()
    collated, awaited, lying, touched = [], [], [], []
    for number in range(BATCHES):
        if number >= BATCHES // 2:
            time.sleep(3 * FETCH_S)
        asked = time.monotonic_ns()
        data, began, ended, cpu = next(batches)
        now = time.monotonic_ns()
        if number == 0:
            started = began
        collated.append(cpu)
        if asked > ended + 1e9 * FETCH_S:
            lying.append(now - asked)
        elif asked < ended:
            awaited.append(now - ended)
        first = time.thread_time_ns()
        data.sum()
        second = time.thread_time_ns()
        data.sum()
        touched.append(second - first - (time.thread_time_ns() - second))
    del batches
    receive = usual(lying)
    one, several, ending = starting(element, 1)[0], *starting(element, TOGETHER)
    # Each takes something, also where another program was in the way of one alone.
    each = max((several - one) // (TOGETHER - 1), several // (2 * TOGETHER))
    held = held_receive(element, options)
    return {
        "bytes": size,
        "each": each,
        "fixed": max(0, one - each),
        "ending": ending / several,
        "start": max(0, started - ordered - int(1e9 * FETCH_S)),
        "receive": receive,
        "transfer": max(0, usual(awaited) - receive) if awaited else receive,
        "written": max(0, usual(collated) - usual(own)),
        "read": usual(touched),
        **({} if held is None else {"held": max(0, held - receive)}),
    }


#: Elements of an operation that a pool divides, ms of other work between two of them, and how many there are.
POOLED_ELEMENTS = (50000, 200000, 1000000)
POOLED_GAPS_S = (0.0003, 0.003)
POOLED_TIMES = 12


def pool_shares(threads):
    """Of the CPU that a pool of so many threads spends beside an operation, the part that its thread would spend without it."""
    import torch

    def spent(count, data, gap):
        torch.set_num_threads(count)
        data.mul(2.0)
        whole, own = time.process_time(), time.thread_time()
        for _ in range(POOLED_TIMES):
            spin(gap)
            data.mul(2.0)
        whole, own = time.process_time() - whole, time.thread_time() - own
        return own, whole - own

    shares = []
    for elements in POOLED_ELEMENTS:
        data = torch.ones(elements)
        for gap in POOLED_GAPS_S:
            alone, _ = spent(1, data, gap)
            beside, pooled = spent(threads, data, gap)
            # Where cores are short, threads that wait for each other awake cost more than they spare.
            shares.append(min(1.0, max(-0.5, (alone - beside) / pooled)) if pooled > 0 else 0.0)
    return {"threads": threads, "least": round(min(0.0, *shares), 4), "most": round(max(0.0, *shares), 4)}


def given(option):
    return int(sys.argv[sys.argv.index(option) + 1]) if option in sys.argv else 0


def main():
    facts = {"busy": busy_paces(), "wake": wake_delay(usable_cores())}
    if given("--bytes"):
        facts["worker"] = worker_costs(given("--bytes"))
    if given("--threads") > 1:
        facts["pool"] = pool_shares(given("--threads"))
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
