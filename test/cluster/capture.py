"""Packets of one host, captured on its card: what it sends is seen after its shaper, what it receives on arrival."""

import socket
import struct
import threading
from dataclasses import dataclass

ETH_P_ALL = 3
SO_TIMESTAMPNS = 35
SO_RCVBUFFORCE = 33
RECEIVE_BUFFER = 1 << 26
LARGEST_PACKET = 1 << 16
LOOK_S = 0.2


@dataclass(frozen=True)
class Packet:
    """TCP payload on its way; moment in s since the epoch."""

    moment: float
    source: tuple  # (address, port)
    target: tuple
    sequence: int
    is_opening: bool
    payload: bytes


class Capture:
    """Packets of a host from construction until `stop`. The socket belongs to the host's network from its making on."""

    def __init__(self, host):
        self.packets = []
        self._is_over = False
        self._socket = None
        ready = threading.Event()
        # Namespaces belong to threads: this one enters the host's and reads there.
        self._thread = threading.Thread(target=self._run, args=(host, ready), daemon=True)
        self._thread.start()
        ready.wait()

    def _run(self, host, ready):
        host.enter()
        with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL)) as raw:
            raw.bind(("eth0", 0))
            raw.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER)
            raw.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            raw.settimeout(LOOK_S)
            ready.set()
            while not self._is_over:
                try:
                    data, ancillary, _, _ = raw.recvmsg(LARGEST_PACKET, 64)
                except TimeoutError:
                    continue
                packet = _parsed(data, ancillary)
                if packet is not None:
                    self.packets.append(packet)

    def stop(self):
        self._is_over = True
        self._thread.join()
        return self.packets


def _parsed(data, ancillary):
    """A packet of IPv4 and TCP, None for any other."""
    if len(data) < 40 or data[0] >> 4 != 4 or data[9] != socket.IPPROTO_TCP:
        return None
    header = (data[0] & 15) * 4
    length = struct.unpack_from("!H", data, 2)[0]
    source_port, target_port, sequence = struct.unpack_from("!HHI", data, header)
    start = header + (data[header + 12] >> 4) * 4
    seconds, nanoseconds = struct.unpack("qq", ancillary[0][2][:16])
    return Packet(
        seconds + nanoseconds / 1e9,
        (socket.inet_ntoa(data[12:16]), source_port),
        (socket.inet_ntoa(data[16:20]), target_port),
        sequence,
        bool(data[header + 13] & 2),
        # A segmenting card's packets may be longer than the header can say.
        data[start : length if length > 0 else None],
    )
