# SPDX-License-Identifier: Apache-2.0
"""Takes random data through random chains of codecs, there and back: numcodecs against Tessera.

usage: random_codecs.py <codec_exchange>

For each case numcodecs encodes and Tessera decodes what comes of it, and the other way round; what
is decoded must be, byte for byte, what numcodecs decodes. Filters leave no choice to who encodes:
there the encodings must be equal as well.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numcodecs
import numpy as np

ROUNDS = 600
SEED = 20240607

REALS = ["<f2", "<f4", "<f8", ">f2", ">f4", ">f8"]
INTEGERS = ["|i1", "<i2", "<i4", "<i8", ">i2", ">i4", ">i8", "|u1", "<u2", "<u4", "<u8", ">u4"]


def random_data(rng, dtype):
    """Returns some values of a dtype that are small enough for every filter to hold them."""
    size = int(rng.choice([1, 2, 7, 100, 1023, 1024, 1025, 5000]))
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(bool)
    values = np.cumsum(rng.normal(0, 1, size))
    if dtype.kind == "u":
        values = np.abs(values) + 10
    if dtype.itemsize == 1:
        values = np.clip(values, -100, 100)
    return values.astype(dtype)


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


def random_filter(rng, dtype, is_lossless):
    """Returns a filter of numcodecs for elements of a dtype."""
    kinds = ["shuffle", "crc32", "adler32", "base64"]
    if dtype.kind == "b":
        kinds += ["packbits"] * 4
    else:
        kinds += ["delta", "astype", "fixedscaleoffset"]
    if dtype.kind == "f":
        kinds += ["quantize", "fixedscaleoffset"]
    if dtype.str[:2] == "<f":  # numcodecs 0.11 cannot round numbers of another byte order
        kinds += ["bitround"]
    if is_lossless:
        kinds = [kind for kind in kinds if kind not in ("fixedscaleoffset", "quantize", "bitround")]
    kind = pick(rng, kinds)
    quantized = np.dtype(pick(rng, REALS + INTEGERS))
    # C leaves open what a float becomes that no unsigned integer can hold, and NumPy with it.
    wider = {"u": ["<u8", ">u8"], "i": ["<i8", ">i8", "<f8"], "f": ["<f8", ">f8"]}
    wide = np.dtype(pick(rng, wider.get(dtype.kind, ["|u1"])))
    if kind == "delta":
        same = dtype.str.replace("u", "i") if dtype.itemsize < 8 else dtype.str
        return numcodecs.Delta(dtype, pick(rng, [None, wide, same]))
    if kind == "astype":
        return numcodecs.AsType(wide, dtype)
    if kind == "fixedscaleoffset":
        if dtype.kind == "f":
            offset, scale = pick(rng, [(0, 10), (0.5, 100), (-3, 1.5), (1.25, 4)])
            target = pick(rng, ["<i2", "<i4", ">i4", "<i8", "<f4", ">f8", dtype.str])
        else:
            offset, scale = pick(rng, [(0, 1), (1, 2), (0.5, 2), (2, 0.5)])
            target = pick(rng, ["<i4", ">i8", "<f8"])
        return numcodecs.FixedScaleOffset(offset, scale, dtype, target)
    if kind == "quantize":
        digits = int(rng.integers(0, 4 if dtype.itemsize == 2 else 7))
        return numcodecs.Quantize(digits, dtype, quantized if quantized.kind == "f" else None)
    if kind == "bitround":
        return numcodecs.bitround.BitRound(int(rng.integers(0, 11)))
    if kind == "shuffle":
        return numcodecs.Shuffle(pick(rng, [0, 1, dtype.itemsize]))
    return {"packbits": numcodecs.PackBits, "crc32": numcodecs.CRC32, "adler32": numcodecs.Adler32,
            "base64": numcodecs.Base64}[kind]()


def random_compressor(rng):
    """Returns a compressor of numcodecs, or none."""
    raw = [{"id": 3, "dist": int(rng.integers(1, 9))}, {"id": 33, "preset": 1, "lc": 2, "lp": 1}]
    old = [{"id": 0x4000000000000001, "dict_size": 1 << 16}]
    return pick(rng, [
        lambda: None,
        lambda: numcodecs.Zlib(int(rng.integers(-1, 10))),
        lambda: numcodecs.GZip(int(rng.integers(0, 10))),
        lambda: numcodecs.BZ2(int(rng.integers(1, 10))),
        lambda: numcodecs.Zstd(int(rng.integers(-5, 20))),
        lambda: numcodecs.LZ4(int(rng.integers(-2, 20))),
        lambda: numcodecs.LZMA(preset=int(rng.integers(0, 7))),
        lambda: numcodecs.LZMA(check=pick(rng, [0, 1, 4, 10])),
        lambda: numcodecs.LZMA(format=2, preset=1),
        lambda: numcodecs.LZMA(format=3, filters=raw),
        lambda: numcodecs.LZMA(format=3, filters=old),
        lambda: numcodecs.Blosc(pick(rng, numcodecs.blosc.list_compressors()),
                                int(rng.integers(0, 10)), int(rng.integers(-1, 3)),
                                pick(rng, [0, 0, 512, 4096])),
    ])()


class Case:
    """One chain with its data."""

    def __init__(self, rng, directory, number):
        self.data = random_data(rng, np.dtype(pick(rng, REALS + INTEGERS + ["|b1"])))
        self.filters = []
        self.directory, self.number = directory, number
        encoded = self.data
        for _ in range(int(rng.integers(0, 3))):
            dtype = encoded.dtype if isinstance(encoded, np.ndarray) else np.dtype("u1")
            # What bitround makes are integers, of which the next filter would make nothing good.
            # Nothing may be lost of the bytes of a checksum.
            is_checked = any(f.codec_id in ("crc32", "adler32", "base64", "packbits")
                             for f in self.filters)
            self.filters.append(random_filter(rng, dtype, is_checked))
            encoded = self.filters[-1].encode(np.array(encoded, copy=True) if
                                              isinstance(encoded, np.ndarray) else encoded)
            if not isinstance(encoded, np.ndarray):
                encoded = np.frombuffer(encoded, "u1")
            if self.filters[-1].codec_id == "bitround":
                break
        self.compressor = random_compressor(rng)
        if not self.filters and self.compressor is None:
            self.compressor = numcodecs.Zlib()
        self.filtered = np.ascontiguousarray(encoded).tobytes()
        self.encoded = bytes(self.compressor.encode(encoded)) if self.compressor else self.filtered
        self.expected = self.decode(self.encoded)

    def decode(self, encoded):
        """Returns the bytes that numcodecs decodes."""
        for codec in ([self.compressor] if self.compressor else []) + self.filters[::-1]:
            encoded = codec.decode(encoded)
        return np.frombuffer(encoded, "u1").tobytes()

    def file(self, name):
        return self.directory / f"{self.number}.{name}"

    def row(self, mode, source, target):
        dtype = self.data.dtype
        codecs = self.filters + [self.compressor]
        return "\t".join([mode, dtype.kind, str(dtype.itemsize), dtype.str[0],
                          str(self.data.nbytes), str(self.file(source)), str(self.file(target))] +
                         [json.dumps(codec.get_config() if codec else None) for codec in codecs])

    def problems(self):
        """Yields the faults of Tessera's encoding."""
        decoded, encoded = self.file("ours").read_bytes(), self.file("ours_encoded").read_bytes()
        if decoded != self.expected:
            yield "what numcodecs encoded is decoded to something else"
        if self.compressor is None and encoded != self.filtered:
            yield "filters encode to something else"
        if self.decode(encoded) != self.expected:
            yield "what Tessera encoded is decoded to something else by numcodecs"


def main():
    rng = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        cases = [Case(rng, directory, number) for number in range(ROUNDS)]
        rows = []
        for case in cases:
            case.file("theirs").write_bytes(case.encoded)
            case.file("data").write_bytes(case.data.tobytes())
            rows.append(case.row("decode", "theirs", "ours"))
            rows.append(case.row("encode", "data", "ours_encoded"))
        listing = directory / "list"
        listing.write_text("".join(row + "\n" for row in rows))
        done = subprocess.run([sys.argv[1], listing], capture_output=True, text=True)
        if done.returncode != 0 or done.stderr:
            raise SystemExit(f"codec_exchange ended with {done.returncode}: {done.stderr}"
                             f"{done.stdout[:4000]}")
        failures = [f"{case.row('', 'theirs', 'ours')}: {problem}" for case in cases
                    for problem in case.problems()]
    print(f"{ROUNDS} chains, {len(failures)} problems")
    raise SystemExit("\n".join(failures[:20]) or None)


if __name__ == "__main__":
    main()
