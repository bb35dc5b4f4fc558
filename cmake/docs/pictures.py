# SPDX-License-Identifier: Apache-2.0
"""Pictures of stored arrays: a heat map (PNG) of a matrix, a line (SVG) of a vector."""

import math
import struct
import zlib

try:
    import zarr
except ImportError:  # Debian: python3-zarr
    zarr = None

# Colours from the least to the greatest value: viridis at five points. Missing values are grey.
COLOURS = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))
MISSING = (200, 200, 200)
LEVELS = 255


def levels_of(values):
    """Returns the level of each value between the least (1) and the greatest (255), and 0 for NaN."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0), max(finite, default=1)
    scale = (LEVELS - 1) / (high - low) if high > low else 0
    return [1 + round((value - low) * scale) if math.isfinite(value) else 0 for value in values]


def palette():
    """Returns the colours of all levels as bytes."""
    parts = [bytes(MISSING)]
    for level in range(LEVELS):
        at = level * (len(COLOURS) - 1) / (LEVELS - 1)
        first = min(int(at), len(COLOURS) - 2)
        parts.append(bytes(round(a + (b - a) * (at - first))
                           for a, b in zip(COLOURS[first], COLOURS[first + 1])))
    return b"".join(parts)


def png(shape, values):
    """Returns a heat map of a matrix as a PNG with a palette."""
    rows, columns = shape
    levels = levels_of(values)
    lines = b"".join(b"\0" + bytes(levels[i * columns:(i + 1) * columns]) for i in range(rows))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"PLTE", palette())
            + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def svg(values):
    """Returns a vector as a line of at most 500 points, with its least and greatest value."""
    step = -(-len(values) // 500)
    shown = [value for value in values[::step] if math.isfinite(value)]
    low, high = min(shown), max(shown)
    scale = 180 / (high - low) if high > low else 0
    across = 560 / max(len(shown) - 1, 1)
    points = " ".join(f"{20 + i * across:.1f},{200 - (value - low) * scale:.1f}"
                      for i, value in enumerate(shown))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 230"><rect width="600" '
            f'height="230" fill="#fff"/><polyline points="{points}" fill="none" stroke="#21918c" '
            f'stroke-width="1.5"/><g font-family="sans-serif" font-size="12"><text x="20" y="14">'
            f'{high:.6g}</text><text x="20" y="222">{low:.6g}</text></g></svg>').encode()


def drawn(folder):
    """Returns the pictures of the vectors and matrices in a group, by their file names; none without
    zarr-python."""
    found = {}
    for path in sorted(folder.glob("*/.zarray")) if zarr else ():
        elements = zarr.open(str(path.parent), mode="r")[...]
        name = path.parent.name
        if elements.ndim == 2 and min(elements.shape) > 1:
            found[f"{name}.png"] = png(elements.shape, elements.ravel().tolist())
        elif elements.ndim == 1 and elements.size > 3:
            found[f"{name}.svg"] = svg(elements.tolist())
    return found
