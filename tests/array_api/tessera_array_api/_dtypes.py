# SPDX-License-Identifier: Apache-2.0
"""The dtypes of the standard, and Python's numbers as their bytes."""

import struct


class DType:
    """A dtype, known by its name."""

    def __init__(self, name, kind, size, code):
        self.name, self.kind, self.itemsize, self.code = name, kind, size, code

    def __repr__(self):
        return f"tessera_array_api.{self.name}"

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return isinstance(other, DType) and self.name == other.name

    def pack(self, values):
        """Returns the bytes of Python's numbers."""
        if self.kind == "complex":
            values = [part for v in map(complex, values) for part in (v.real, v.imag)]
        elif self.kind == "float":
            values = [_float(v) for v in values]
        elif self.kind == "bool":
            values = [bool(v) for v in values]
        try:
            return struct.pack(f"={len(values)}{self.code}", *values)
        except struct.error as e:
            raise OverflowError(f"{self.name}: {e}") from e
        except OverflowError:  # a float beyond float32
            return b"".join(_pack_float(self.code, v) for v in values)

    def unpack(self, data):
        """Returns the elements as Python's numbers."""
        size = struct.calcsize("=" + self.code)
        values = struct.unpack(f"={len(data) // size}{self.code}", data)
        if self.kind == "complex":
            return [complex(*pair) for pair in zip(values[::2], values[1::2])]
        return list(values)


def _float(value):
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _pack_float(code, value):
    try:
        return struct.pack("=" + code, value)
    except OverflowError:
        return struct.pack("=" + code, float("inf") if value > 0 else float("-inf"))


bool_ = DType("bool", "bool", 1, "?")
int8 = DType("int8", "int", 1, "b")
int16 = DType("int16", "int", 2, "h")
int32 = DType("int32", "int", 4, "i")
int64 = DType("int64", "int", 8, "q")
uint8 = DType("uint8", "uint", 1, "B")
uint16 = DType("uint16", "uint", 2, "H")
uint32 = DType("uint32", "uint", 4, "I")
uint64 = DType("uint64", "uint", 8, "Q")
float32 = DType("float32", "float", 4, "f")
float64 = DType("float64", "float", 8, "d")
complex64 = DType("complex64", "complex", 8, "f")
complex128 = DType("complex128", "complex", 16, "d")

ALL = [bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64,
       complex64, complex128]
BY_NAME = {dtype.name: dtype for dtype in ALL}
KINDS = {
    "bool": ["bool"], "signed integer": ["int"], "unsigned integer": ["uint"],
    "integral": ["int", "uint"], "real floating": ["float"], "complex floating": ["complex"],
    "numeric": ["int", "uint", "float", "complex"],
}
