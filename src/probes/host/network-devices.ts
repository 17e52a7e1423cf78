export interface NetworkDevice {
  readonly name: string;
  /** Bytes since the device came up. */
  readonly received: number;
  readonly sent: number;
}

/** The text of `/proc/net/dev`, without the loopback: its traffic never leaves the machine. */
export function parseNetworkDevices(text: string): NetworkDevice[] {
  const devices: NetworkDevice[] = [];
  for (const line of text.split('\n')) {
    // Old kernels put the first number right behind the colon; an alias such as `eth0:1` has a colon in its name.
    const fields = /^\s*(\S+):\s*(\d+(?:\s+\d+){8,})\s*$/.exec(line);
    const name = fields?.[1];
    const counts = fields?.[2]?.split(/\s+/).map(Number);
    if (name === undefined || name === 'lo' || counts === undefined) continue;
    devices.push({ name, received: counts[0] ?? 0, sent: counts[8] ?? 0 });
  }
  return devices;
}

/**
 * The devices whose sum counts each byte once. Bridges, bonds, tunnels and a container's end of a pair carry the same
 * bytes as the card behind them, so cards alone count where there are any; a container sees none and counts all it has.
 */
export function countedDevices(
  devices: readonly NetworkDevice[],
  isCard: (name: string) => boolean,
): readonly NetworkDevice[] {
  const cards = devices.filter(device => isCard(device.name));
  return cards.length > 0 ? cards : devices;
}
