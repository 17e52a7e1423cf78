"""Writes jpeg.json: small JPEG files made by Pillow, and the SHA-256 of the RGB pixels that Pillow decodes from each
(9.4.0 made those kept here): python3 make_jpeg.py

Pillow 9 writes no restart markers: `with_restarts` decodes the symbols of a grey file and writes them again with markers.
"""
import base64, hashlib, io, json, random
import PIL
from PIL import Image

random.seed(11)


def noise(size, mode="RGB"):
    length = size[0] * size[1] * len(mode)
    return Image.frombytes(mode, size, bytes(random.randrange(256) for _ in range(length)))


def picture(size):
    """Large shapes with some grain."""
    smooth = noise((size[0] // 7 + 2, size[1] // 7 + 2)).resize(size, Image.BICUBIC)
    return Image.blend(smooth, noise(size), 0.15)


def encoded(image, **options):
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    return out.getvalue()


class Bits:
    def __init__(self, data):
        self.bits, self.at = "".join(f"{byte:08b}" for byte in data), 0

    def take(self, count):
        self.at += count
        return self.bits[self.at - count : self.at]


def codes_of(counts, values):
    codes, code, at = {}, 0, 0
    for length, count in enumerate(counts, 1):
        for _ in range(count):
            codes[f"{code:0{length}b}"] = values[at]
            code, at = code + 1, at + 1
        code <<= 1
    return codes


def symbol(bits, codes):
    code = ""
    while code not in codes:
        code += bits.take(1)
    return codes[code]


def signed(text):
    return 0 if text == "" else int(text, 2) if text[0] == "1" else int(text, 2) - 2 ** len(text) + 1


def sized(value):
    size = abs(value).bit_length()
    return size, "" if size == 0 else f"{value if value > 0 else value + 2 ** size - 1:0{size}b}"


def with_restarts(data, interval):
    tables, at = {}, 2
    while data[at + 1] != 0xDA:
        length = data[at + 2] * 256 + data[at + 3]
        if data[at + 1] == 0xC4:
            part, segment = 0, data[at + 4 : at + 2 + length]
            while part < len(segment):
                counts = segment[part + 1 : part + 17]
                end = part + 17 + sum(counts)
                tables[segment[part]] = codes_of(counts, segment[part + 17 : end])
                part = end
        at += 2 + length
    start = at + 2 + data[at + 2] * 256 + data[at + 3]
    bits = Bits(data[start:-2].replace(b"\xff\x00", b"\xff"))
    dc, ac = tables[0x00], tables[0x10]
    dc_code = {value: code for code, value in dc.items()}
    blocks, mean = [], 0
    while len(bits.bits) - bits.at >= 8 or "0" in bits.bits[bits.at :]:
        mean += signed(bits.take(symbol(bits, dc)))
        rest, begun, k = "", bits.at, 1
        while k < 64:
            found = symbol(bits, ac)
            bits.take(found & 15)
            if found == 0:
                break
            k += (found >> 4) + 1
        blocks.append((mean, bits.bits[begun : bits.at]))
    out, restarts = b"", 0
    for first in range(0, len(blocks), interval):
        text, before = "", 0
        for mean, rest in blocks[first : first + interval]:
            size, tail = sized(mean - before)
            text, before = text + dc_code[size] + tail + rest, mean
        text += "1" * (-len(text) % 8)
        stretch = bytes(int(text[i : i + 8], 2) for i in range(0, len(text), 8))
        out += stretch.replace(b"\xff", b"\xff\x00")
        if first + interval < len(blocks):
            out += bytes([0xFF, 0xD0 + restarts % 8])
            restarts += 1
    head = data[:at] + b"\xff\xdd\x00\x04" + interval.to_bytes(2, "big")
    return head + data[at:start] + out + b"\xff\xd9"


files = {}
for name, subsampling in {"444": 0, "422": 1, "420": 2}.items():
    for size in [(1, 1), (3, 2), (4, 5), (16, 16), (17, 9), (40, 33)]:
        files[f"{name} {size[0]}x{size[1]}"] = encoded(picture(size), quality=85, subsampling=subsampling)
    files[f"{name} noise"] = encoded(noise((24, 20)), quality=98, subsampling=subsampling)
    files[f"{name} coarse"] = encoded(picture((50, 30)), quality=8, subsampling=subsampling)
files["own Huffman tables"] = encoded(picture((48, 40)), quality=75, optimize=True)
files["grey"] = encoded(noise((19, 23), "L"), quality=80)
grey = encoded(picture((67, 45)).convert("L"), quality=80)
files["grey with restarts"] = with_restarts(grey, 5)
plain = Image.open(io.BytesIO(grey)).tobytes()
assert Image.open(io.BytesIO(files["grey with restarts"])).tobytes() == plain

cases = []
for name, data in files.items():
    image = Image.open(io.BytesIO(data))
    pixels = image.convert("RGB").tobytes()
    cases.append({
        "name": name, "size": image.size, "sha256": hashlib.sha256(pixels).hexdigest(),
        "file": base64.b64encode(data).decode(),
    })
# Files that are fine and not for a baseline decoder.
others = {
    "progressive": encoded(picture((32, 32)), progressive=True),
    "of four colours": encoded(noise((16, 16), "CMYK")),
}
refused = [{"name": name, "file": base64.b64encode(data).decode()} for name, data in others.items()]
with open("jpeg.json", "w", encoding="utf-8") as out:
    json.dump({"pillow": PIL.__version__, "cases": cases, "refused": refused}, out, indent=1)
    out.write("\n")
