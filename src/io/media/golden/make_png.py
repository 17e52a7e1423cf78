"""Makes the PNG files and png.json beside it with Pillow (9.4.0 made those kept here): python3 make_png.py

Pillow writes what it can. It cannot write 16-bit colours, grey of 2 or 4 bits, or interlaced files: those are put together
here, chunk by chunk. png.json holds the pixels that Pillow reads from every one of them, without alpha, in base64.
"""
import base64, json, random, struct, zlib
from PIL import Image

W, H = 13, 11
random.seed(7)
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
names = []

def noise(count): return bytes(random.randrange(256) for _ in range(count))

def pillow(name, image, **options):
    image.save(name + '.png', **options)
    names.append(name)

def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]

def filtered(rows, step):
    """Every filter in turn."""
    out, above = b'', bytes(len(rows[0]))
    for y, row in enumerate(rows):
        kind = (y + 1) % 5
        out += bytes([kind])
        for i, x in enumerate(row):
            a, b, c = row[i - step] if i >= step else 0, above[i], above[i - step] if i >= step else 0
            out += bytes([(x - [0, a, b, (a + b) // 2, paeth(a, b, c)][kind]) % 256])
        above = row
    return out

def chunk(kind, data): return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

def by_hand(name, colour, depth, interlaced=False, before=b'', width=W, height=H):
    bits = CHANNELS[colour] * depth
    line = (width * bits + 7) // 8
    rows = [noise(line) for _ in range(height)]
    if interlaced and bits >= 8:
        size = bits // 8
        raw = b''
        for x0, y0, dx, dy in PASSES:
            part = [b''.join(row[x * size:(x + 1) * size] for x in range(x0, width, dx)) for row in rows[y0::dy]]
            if part and part[0]: raw += filtered(part, size)
    elif interlaced:
        levels = [[row[x * bits // 8] >> (8 - bits - x * bits % 8) & (1 << bits) - 1 for x in range(width)] for row in rows]
        raw = b''
        for x0, y0, dx, dy in PASSES:
            part = []
            for row in levels[y0::dy]:
                packed = ''.join(format(v, f'0{bits}b') for v in row[x0::dx])
                packed += '0' * (-len(packed) % 8)
                part.append(bytes(int(packed[i:i + 8], 2) for i in range(0, len(packed), 8)))
            if part and part[0]: raw += filtered(part, 1)
    else:
        raw = filtered(rows, max(1, bits // 8))
    data = zlib.compress(raw)
    header = struct.pack('>IIBBBBB', width, height, depth, colour, 0, 0, int(interlaced))
    parts = [data[i:i + 100] for i in range(0, len(data), 100)]
    with open(name + '.png', 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + before + b''.join(chunk(b'IDAT', p) for p in parts) + chunk(b'IEND', b''))
    names.append(name)

pillow('grey1', Image.frombytes('1', (W, H), noise(2 * H)))
pillow('grey8', Image.frombytes('L', (W, H), noise(W * H)))
pillow('grey8-transparent', Image.frombytes('L', (W, H), noise(W * H)), transparency=5)
pillow('grey16', Image.frombytes('I;16', (W, H), noise(2 * W * H)))
pillow('grey-alpha8', Image.frombytes('LA', (W, H), noise(2 * W * H)))
pillow('rgb8', Image.frombytes('RGB', (W, H), noise(3 * W * H)))
pillow('rgb8-transparent', Image.frombytes('RGB', (W, H), noise(3 * W * H)), transparency=(1, 2, 3))
pillow('rgba8', Image.frombytes('RGBA', (W, H), noise(4 * W * H)))
for bits in 1, 2, 4, 8:
    indexes = Image.frombytes('P', (W, H), bytes(random.randrange(1 << bits) for _ in range(W * H)))
    indexes.putpalette(noise(3 << bits))
    pillow(f'palette{bits}', indexes, bits=bits)
    if bits in (2, 8): pillow(f'palette{bits}-transparent', indexes, bits=bits, transparency=bytes([0, 128, 7]))
by_hand('grey2', 0, 2)
by_hand('grey4', 0, 4)
by_hand('grey-alpha16', 4, 16)
by_hand('rgb8-filters', 2, 8)
by_hand('rgb8-suggested-palette', 2, 8, before=chunk(b'PLTE', noise(30)))
by_hand('rgb16', 2, 16)
by_hand('rgba16', 6, 16)
by_hand('grey8-interlaced', 0, 8, True)
by_hand('rgba16-interlaced', 6, 16, True)
by_hand('rgb8-interlaced-narrow', 2, 8, True, width=3, height=2)
by_hand('grey2-interlaced', 0, 2, True)

def rgb(image):
    if image.mode.startswith('I'):
        wide = image.tobytes()
        size = 2 if ';16' in image.mode else 4
        return bytes(level for i in range(1, len(wide), size) for level in [wide[i]] * 3)
    return image.convert('RGB').tobytes()

read = {}
for name in names:
    image = Image.open(name + '.png')
    image.load()
    read[name] = {'width': image.width, 'height': image.height, 'rgb': base64.b64encode(rgb(image)).decode()}
    assert len(rgb(image)) == image.width * image.height * 3
json.dump(read, open('png.json', 'w'), indent=1)
