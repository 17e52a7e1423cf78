"""Writes resize.json: the SHA-256 of what Pillow's BILINEAR makes of noise of many sizes. The noise is a small generator's, so
that the test can make it too."""

import hashlib
import json

import PIL
from PIL import Image

SIZES = [
    (500, 375, 298, 224),
    (500, 375, 256, 256),
    (375, 500, 224, 299),
    (640, 480, 224, 224),
    (64, 48, 224, 224),
    (31, 17, 31, 17),
    (31, 17, 31, 40),
    (31, 17, 9, 17),
    (1, 1, 5, 7),
    (3, 2, 1, 1),
    (97, 61, 13, 200),
    (1000, 3, 7, 3),
    (3, 1000, 3, 7),
    (257, 255, 128, 127),
]


def noise(length, seed):
    out = bytearray(length)
    state = seed
    for at in range(length):
        state = (state * 1664525 + 1013904223) % 2**32
        out[at] = state >> 24
    return bytes(out)


cases = []
for seed, (width, height, to_width, to_height) in enumerate(SIZES):
    image = Image.frombytes("RGB", (width, height), noise(width * height * 3, seed))
    resized = image.resize((to_width, to_height), Image.BILINEAR)
    digest = hashlib.sha256(resized.tobytes()).hexdigest()
    cases.append({"seed": seed, "from": [width, height], "to": [to_width, to_height], "sha256": digest})

with open("resize.json", "w", encoding="utf-8") as file:
    json.dump({"pillow": PIL.__version__, "cases": cases}, file, indent=1)
    file.write("\n")
