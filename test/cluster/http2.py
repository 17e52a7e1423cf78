"""HTTP/2 frames of captured connections (RFC 9113)."""

from dataclasses import dataclass

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADER = 9
DATA = 0


@dataclass(frozen=True)
class Frame:
    kind: int
    stream: int
    # Moments at which its first and its last byte passed, in s since the epoch.
    first: float
    last: float
    payload: bytes


def frames(packets):
    """Frames of every direction of every connection that was opened during the capture, by (source, target)."""
    flows = {}
    for packet in packets:
        key = (packet.source, packet.target)
        if packet.is_opening:
            flows[key] = _Flow(packet.sequence + 1)
        elif key in flows and packet.payload:
            flows[key].add(packet)
    return {key: list(flow.frames()) for key, flow in flows.items()}


class _Flow:
    """Bytes of one direction in order, with the moment at which each came first."""

    def __init__(self, sequence):
        self._next = sequence
        self._early = {}
        self._bytes = bytearray()
        self._arrivals = []  # (end position, moment)

    def add(self, packet):
        self._early[packet.sequence] = packet
        while self._early:
            # Sequence numbers wrap: a distance in the upper half is behind.
            due = [one for one in self._early.values() if _distance(self._next, one.sequence) <= 0]
            if not due:
                return
            for one in due:
                del self._early[one.sequence]
                known = -_distance(self._next, one.sequence)
                fresh = one.payload[known:]
                if fresh:
                    self._bytes += fresh
                    self._arrivals.append((len(self._bytes), one.moment))
                    self._next = (self._next + len(fresh)) % 2**32

    def frames(self):
        position = len(PREFACE) if self._bytes.startswith(PREFACE) else 0
        arrival = 0
        while position + HEADER <= len(self._bytes):
            length = int.from_bytes(self._bytes[position : position + 3], "big")
            end = position + HEADER + length
            if end > len(self._bytes):
                return
            while self._arrivals[arrival][0] <= position:
                arrival += 1
            last = arrival
            while self._arrivals[last][0] < end:
                last += 1
            yield Frame(
                self._bytes[position + 3],
                int.from_bytes(self._bytes[position + 5 : position + 9], "big") & 0x7FFFFFFF,
                self._arrivals[arrival][1],
                self._arrivals[last][1],
                bytes(self._bytes[position + HEADER : end]),
            )
            position, arrival = end, last


def _distance(origin, sequence):
    return (sequence - origin + 2**31) % 2**32 - 2**31
