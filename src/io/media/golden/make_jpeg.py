"""Writes jpeg.json: small JPEG files, and the SHA-256 of the RGB pixels that Pillow decodes from each; and the SHA-256 of files that
Pillow writes of given pixels: python3 make_jpeg.py (Pillow 13.0.0 with libjpeg-turbo 3.2.0 made those kept here; 9.4.0 with 2.1.5
decodes the same pixels from them).

Pillow writes no files with odd sampling, 16-bit quantizers or a scan for each component: `drawn` writes such files of random
coefficients.
"""
import base64, hashlib, io, itertools, json, random
import PIL
from PIL import Image

random.seed(11)


def noise(size, mode="RGB"):
    length = size[0] * size[1] * len(mode)
    return Image.frombytes(mode, size, bytes(random.randrange(256) for _ in range(length)))


def picture(size, mode="RGB"):
    """Large shapes with some grain."""
    smooth = noise((size[0] // 7 + 2, size[1] // 7 + 2), mode).resize(size, Image.Resampling.BICUBIC)
    return Image.blend(smooth, noise(size, mode), 0.15)


def encoded(image, **options):
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    return out.getvalue()


def segment(marker, *parts):
    body = b"".join(part if isinstance(part, bytes) else bytes([part]) for part in parts)
    return bytes([0xFF, marker]) + (len(body) + 2).to_bytes(2, "big") + body


# Codes of one length each: 16 sizes of four bits, and 256 symbols of nine bits, as not all ones may be a code.
DC_CODES = bytes([0, 0, 0, 12] + [0] * 12) + bytes(range(12))
AC_CODES = bytes([0] * 8 + [255] + [0] * 7) + bytes(range(255))


def value_bits(value):
    size = abs(value).bit_length()
    return size, "" if size == 0 else f"{value if value > 0 else value + 2 ** size - 1:0{size}b}"


def block_bits(difference):
    size, tail = value_bits(difference)
    bits, at = f"{size:04b}" + tail, 1
    while at < 64 and random.random() < 0.8:
        run = random.choice([0, 0, 0, 1, 2, 5, 14])
        if at + run > 63:
            break
        size, tail = value_bits(random.choice([-1, 1]) * random.choice([1, 1, 1, 2, 3, 7, 20]))
        bits += f"{16 * run + size:09b}" + tail
        at += run + 1
    return bits if at == 64 else bits + f"{0:09b}"


def stuffed(bits):
    bits += "1" * (-len(bits) % 8)
    return bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\x00")


def drawn(size, sampling, ids=None, head=b"", wide=False, restart=0, together=True, tables=True):
    """A file of random coefficients. `sampling` has blocks across and down of each component."""
    ids = ids or range(1, len(sampling) + 1)
    most = [max(factor[i] for factor in sampling) for i in (0, 1)]
    units = [-(-size[i] // (8 * most[i])) for i in (0, 1)]
    quantizers = [random.randrange(1, 12) for _ in range(64)]
    stored = b"".join(q.to_bytes(2 if wide else 1, "big") for q in quantizers)
    data = b"\xff\xd8" + head + segment(0xDB, 16 if wide else 0, stored)
    parts = [bytes([id, h << 4 | v, 0]) for id, (h, v) in zip(ids, sampling)]
    data += segment(0xC1, 8, size[1].to_bytes(2, "big"), size[0].to_bytes(2, "big"), len(sampling), *parts)
    if tables:
        data += segment(0xC4, 0, DC_CODES) + segment(0xC4, 16, AC_CODES)
    if restart:
        data += segment(0xDD, restart.to_bytes(2, "big"))
    everything = list(range(len(sampling)))
    for scan in [everything] if together else [[one] for one in everything]:
        data += segment(0xDA, len(scan), *(bytes([list(ids)[i], 0]) for i in scan), 0, 63, 0)
        if len(scan) > 1:
            count, blocks = units[0] * units[1], [i for i in scan for _ in range(sampling[i][0] * sampling[i][1])]
        else:
            own = [-(-(-(-size[i] * sampling[scan[0]][i] // most[i])) // 8) for i in (0, 1)]
            count, blocks = own[0] * own[1], scan
        means, bits = [0] * 4, ""
        for unit in range(count):
            if restart and unit > 0 and unit % restart == 0:
                data += stuffed(bits) + bytes([0xFF, 0xD0 + (unit // restart - 1) % 8])
                means, bits = [0] * 4, ""
            for i in blocks:
                mean = random.randrange(-80, 80)
                bits += block_bits(mean - means[i])
                means[i] = mean
        data += stuffed(bits)
    return data + b"\xff\xd9"


def adobe(transform):
    return segment(0xEE, b"Adobe", 0, 100, 0, 0, 0, 0, transform)


JFIF = segment(0xE0, b"JFIF\0", 1, 1, 0, 0, 1, 0, 1, 0, 0)

files = {}
for (name, subsampling), progressive in itertools.product({"444": 0, "422": 1, "420": 2}.items(), [False, True]):
    kind = f"{name} progressive" if progressive else name
    options = {"subsampling": subsampling, "progressive": progressive}
    for size in [(1, 1), (3, 2), (17, 9), (40, 33)]:
        files[f"{kind} {size[0]}x{size[1]}"] = encoded(picture(size), quality=85, **options)
    files[f"{kind} noise"] = encoded(noise((24, 20)), quality=98, **options)
    files[f"{kind} coarse"] = encoded(picture((50, 30)), quality=8, **options)
    files[f"{kind} restarts"] = encoded(picture((50, 34)), quality=70, restart_marker_blocks=2, **options)
files["own Huffman tables"] = encoded(picture((48, 40)), quality=75, optimize=True)
files["every coefficient"] = encoded(noise((16, 16)), quality=100)
files["grey"] = encoded(noise((19, 23), "L"), quality=80)
files["grey progressive"] = encoded(picture((43, 29)).convert("L"), quality=80, progressive=True)
files["grey restarts"] = encoded(picture((67, 45)).convert("L"), quality=80, restart_marker_blocks=5)
files["RGB"] = encoded(picture((21, 18)), quality=85, keep_rgb=True)
files["RGB progressive"] = encoded(picture((21, 18)), quality=85, keep_rgb=True, progressive=True)
files["EXIF, turned"] = encoded(picture((20, 12)), quality=85, exif=b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0")
files["CMYK"] = encoded(noise((16, 16), "CMYK"), quality=85)
files["CMYK progressive"] = encoded(picture((22, 19), "CMYK"), quality=85, progressive=True)

H, V = (2, 1), (1, 2)
for name, sampling in {
    "440": [V, (1, 1), (1, 1)], "411": [(4, 1), (1, 1), (1, 1)], "410": [(4, 2), (1, 1), (1, 1)],
    "1x4": [(1, 4), (1, 1), (1, 1)], "more colour": [(1, 1), (2, 2), (1, 2)], "mixed": [(2, 2), H, V],
    "all 2x2": [(2, 2)] * 2 + [(1, 1)], "grey 2x2": [(2, 2)], "422 the other way": [(2, 2), V, V],
}.items():
    for size in [(2, 3), (37, 35)]:
        files[f"{name} {size[0]}x{size[1]}"] = drawn(size, sampling)
    files[f"{name} in scans of their own"] = drawn((37, 35), sampling, together=False, restart=3)
files["16-bit quantizers"] = drawn((24, 17), [(2, 2), (1, 1), (1, 1)], wide=True)
files["colours by name"] = drawn((17, 16), [(1, 1)] * 3, ids=b"RGB")
files["JFIF before names"] = drawn((17, 16), [(1, 1)] * 3, ids=b"RGB", head=JFIF)
files["RGB by Adobe"] = drawn((17, 16), [(1, 1)] * 3, head=adobe(0))
files["YCbCr by Adobe"] = drawn((17, 16), [(2, 1), (1, 1), (1, 1)], head=adobe(1))
files["YCCK"] = drawn((25, 18), [(2, 2), (1, 1), (1, 1), (2, 2)], head=adobe(2))
typical = encoded(picture((30, 20)), quality=85)
tables = [i for i in range(len(typical)) if typical[i : i + 2] == b"\xff\xc4"]
files["typical tables left out"] = typical[: tables[0]] + typical[typical.index(b"\xff\xda") :]

cases = []
for name, data in files.items():
    image = Image.open(io.BytesIO(data))
    pixels = image.convert("RGB").tobytes()
    cases.append({
        "name": name, "size": image.size, "sha256": hashlib.sha256(pixels).hexdigest(),
        "file": base64.b64encode(data).decode(),
    })

written = []
for size, quality in [((1, 1), 90), ((9, 7), 50), ((40, 24), 100), ((37, 35), 90), ((33, 18), 20), ((17, 40), 1)]:
    image = picture(size)
    file = encoded(image, quality=quality, subsampling=2)
    written.append({
        "size": size, "quality": quality, "pixels": base64.b64encode(image.tobytes()).decode(),
        "sha256": hashlib.sha256(file).hexdigest(),
    })
with open("jpeg.json", "w", encoding="utf-8") as out:
    json.dump({"pillow": PIL.__version__, "cases": cases, "written": written}, out, indent=1)
    out.write("\n")
