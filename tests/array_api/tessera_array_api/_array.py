# SPDX-License-Identifier: Apache-2.0
"""The array object: bytes with a dtype and a shape; all that is computed, the program computes."""

import math
import operator

from ._dtypes import bool_, complex128, complex64, float32, int64
from ._program import program

KIND_OF_SCALAR = [(bool, ("bool",)), (int, ("int", "uint", "float", "complex")),
                  (float, ("float", "complex")), (complex, ("complex",))]


def call(name, *arguments):
    """Returns the one result of a function."""
    (result,) = calls(name, *arguments)
    return result


def calls(name, *arguments):
    """Returns all results of a function."""
    return tuple(Array(*result) for result in program.call(name, *arguments))


def scalar(value, dtype):
    """Returns a Python number as an array of rank 0."""
    return Array(dtype, (), dtype.pack([value]))


def beside(value, other):
    """Returns a Python number in the dtype that it takes beside an array."""
    if isinstance(value, Array):
        return value
    kind = other.dtype.kind
    for type_, kinds in KIND_OF_SCALAR:
        if isinstance(value, type_):
            if kind in kinds:
                return scalar(value, other.dtype)
            if type_ is complex and kind == "float":
                return scalar(value, complex64 if other.dtype == float32 else complex128)
            raise TypeError(f"{value!r} beside {other.dtype.name}")
    raise TypeError(f"{value!r} is neither an array nor a number")


def operands(a, b):
    """Returns two operands as arrays, one of which may be a Python number."""
    if isinstance(a, Array):
        return a, beside(b, a)
    return beside(a, b), b


class Array:
    def __init__(self, dtype, shape, data):
        self._dtype, self._shape, self._data = dtype, tuple(shape), bytes(data)

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self):
        return self._shape

    @property
    def ndim(self):
        return len(self._shape)

    @property
    def size(self):
        return math.prod(self._shape)

    @property
    def device(self):
        return "cpu"

    @property
    def T(self):
        if self.ndim != 2:
            raise ValueError("T: requires an array of rank 2")
        return self.mT

    @property
    def mT(self):
        return call("matrix_transpose", self)

    def __array_namespace__(self, /, *, api_version=None):
        import tessera_array_api
        if api_version not in (None, tessera_array_api.__array_api_version__):
            raise ValueError(f"no version {api_version}")
        return tessera_array_api

    def to_device(self, device, /, *, stream=None):
        if device != "cpu" or stream is not None:
            raise ValueError(f"no device {device!r}")
        return self

    def _item(self):
        if self.size != 1 or self.ndim != 0:
            raise TypeError("requires an array of rank 0")
        return self._dtype.unpack(self._data)[0]

    def __bool__(self, /):
        return bool(self._item())

    def __int__(self, /):
        return int(self._item())

    def __float__(self, /):
        if self._dtype.kind == "complex":
            raise TypeError("complex numbers are no floats")
        return float(self._item())

    def __complex__(self, /):
        return complex(self._item())

    def __index__(self, /):
        if self._dtype.kind not in ("int", "uint"):
            raise TypeError("requires integers")
        return self._item()

    def __repr__(self):
        return f"Array({self._dtype.unpack(self._data)}, {self._shape}, {self._dtype.name})"

    __hash__ = None

    def __len__(self):
        return self._shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key, /):
        key = key if isinstance(key, tuple) else (key,)
        if len(key) == 1 and isinstance(key[0], Array) and key[0].dtype == bool_:
            return self._masked(key[0])
        if any(isinstance(index, Array) and index.ndim > 0 for index in key):
            return self._at(key)
        return call("getitem", self, ",".join(map(_index, key)))

    def _masked(self, mask):
        if mask.shape != self._shape[:mask.ndim]:
            raise IndexError(f"a mask of shape {mask.shape} of an array of shape {self._shape}")
        if mask.ndim == self.ndim:
            return call("extract", mask, self)
        rows = call("reshape", self, (mask.size, *self._shape[mask.ndim:]))
        (places,) = calls("nonzero", call("reshape", mask, (mask.size,)))
        return call("take", rows, places, 0)

    def _at(self, key):
        if len(key) != self.ndim:
            raise IndexError("arrays of integers: requires an index for each axis")
        return call("at", self, *_lists(key))

    def __setitem__(self, key, value, /):
        places = call("reshape", call("arange", *(scalar(v, int64) for v in (0, self.size, 1))),
                      self._shape)[key]
        value = beside(value, self)
        if value.dtype != self._dtype:
            if call("result_type", value, self).dtype != self._dtype:
                raise TypeError(f"{value.dtype.name} does not become {self._dtype.name}")
            value = call("astype", value, self._dtype.name)
        value = call("broadcast_to", value, places.shape)
        self._data = call("put", self, places, value)._data


def _lists(key):
    """Returns indices for each axis as arrays of one shape."""
    arrays = [index if isinstance(index, Array) else scalar(operator.index(index), int64)
              for index in key]
    return calls("broadcast_arrays", *arrays)


def _index(key):
    if key is None:
        return "n"
    if key is Ellipsis:
        return "e"
    if isinstance(key, slice):
        parts = (key.start, key.stop, key.step)
        return "s" + ":".join("" if p is None else str(operator.index(p)) for p in parts)
    return f"i{operator.index(key)}"


def _define(method, name, is_unary=False):
    """Adds the operator of a function, its reflected one and the one that assigns."""
    if is_unary:
        def unary(self, /):
            return call(name, self)
        setattr(Array, f"__{method}__", unary)
        return

    def forward(self, other, /):
        if not isinstance(other, (Array, bool, int, float, complex)):
            return NotImplemented
        return call(name, *operands(self, other))

    def backward(self, other, /):
        if not isinstance(other, (Array, bool, int, float, complex)):
            return NotImplemented
        return call(name, *operands(other, self))

    def assign(self, other, /):
        result = forward(self, other)
        if result is NotImplemented:
            return result
        if result.dtype != self.dtype or result.shape != self.shape:
            raise TypeError(f"{name}: {result.dtype.name} of {result.shape} does not fit into "
                            f"{self.dtype.name} of {self.shape}")
        self._data = result._data
        return self

    setattr(Array, f"__{method}__", forward)
    if method not in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Array, f"__r{method}__", backward)
        setattr(Array, f"__i{method}__", assign)


for _method, _name in {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
        "floordiv": "floor_divide", "mod": "remainder", "pow": "pow", "matmul": "matmul",
        "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
        "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift", "lt": "less",
        "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
        "ne": "not_equal"}.items():
    _define(_method, _name)
for _method, _name in {"neg": "negative", "pos": "positive", "invert": "bitwise_invert",
                       "abs": "abs"}.items():
    _define(_method, _name, is_unary=True)
