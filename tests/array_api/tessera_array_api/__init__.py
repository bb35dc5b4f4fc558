# SPDX-License-Identifier: Apache-2.0
"""Tessera by the names of the Python Array API standard, for its conformance suite and for tests.

Functions take arguments apart and send them to the compiled program, which computes; what Tessera
does not have is not here."""

import builtins
import math
from collections import namedtuple

from . import _dtypes
from ._array import Array, beside, call, calls, operands, scalar
from ._dtypes import (complex64, complex128, float32, float64, int8, int16, int32, int64, uint8,
                      uint16, uint32, uint64)
from ._dtypes import bool_ as bool

__array_api_version__ = "2024.12"

e, inf, nan, pi, newaxis = math.e, math.inf, math.nan, math.pi, None


# ---- elementwise

def _unary(name):
    def function(x, /):
        return call(name, x)
    function.__name__ = name
    return function


def _binary(name):
    def function(x1, x2, /):
        return call(name, *operands(x1, x2))
    function.__name__ = name
    return function


for _name in """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1
        floor imag isfinite isinf isnan log log1p log2 log10 logical_not negative positive real
        reciprocal round sign signbit sin sinh square sqrt tan tanh trunc""".split():
    globals()[_name] = _unary(_name)
for _name in """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
        copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp
        logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow
        remainder subtract""".split():
    globals()[_name] = _binary(_name)


def clip(x, /, min=None, max=None):
    if min is None and max is None:
        return call("positive", x) if x.dtype != bool else x
    result = x
    if min is not None:
        result = call("astype", call("maximum", result, beside(min, x)), x.dtype.name)
    if max is not None:
        result = call("astype", call("minimum", result, beside(max, x)), x.dtype.name)
    return result


def where(condition, x1, x2, /):
    return call("where", condition, *operands(x1, x2))


# ---- dtypes

def astype(x, dtype, /, *, copy=True, device=None):
    _on_cpu(device)
    if x.dtype.kind == "complex" and dtype.kind not in ("complex", "bool"):
        raise TypeError("astype: complex numbers have no real ones")
    return call("astype", x, dtype.name)


def result_type(*arrays_and_dtypes):
    empty_of = [x if isinstance(x, Array) else Array(x, (0,), b"")
                for x in arrays_and_dtypes if isinstance(x, (Array, _dtypes.DType))]
    if not empty_of:
        raise ValueError("result_type: requires an array or a dtype")
    common = call("result_type", *(Array(x.dtype, (0,), b"") for x in empty_of))
    for x in arrays_and_dtypes:
        if not isinstance(x, (Array, _dtypes.DType)):
            common = beside(x, common)
    return common.dtype


def isdtype(dtype, kind):
    if isinstance(kind, tuple):
        return any_of(isdtype(dtype, part) for part in kind)
    if isinstance(kind, str):
        return dtype.kind in _dtypes.KINDS[kind]
    return dtype == kind


any_of = builtins.any

_Finfo = namedtuple("finfo_object", "bits eps max min smallest_normal dtype")
_Iinfo = namedtuple("iinfo_object", "bits max min dtype")


def finfo(type, /):
    dtype = type.dtype if isinstance(type, Array) else type
    real = {"complex64": float32, "complex128": float64}.get(dtype.name, dtype)
    if real == float32:
        return _Finfo(32, 2.0**-23, (2 - 2.0**-23) * 2.0**127, -(2 - 2.0**-23) * 2.0**127,
                      2.0**-126, float32)
    return _Finfo(64, 2.0**-52, (2 - 2.0**-52) * 2.0**1023, -(2 - 2.0**-52) * 2.0**1023,
                  2.0**-1022, float64)


def iinfo(type, /):
    dtype = type.dtype if isinstance(type, Array) else type
    bits = 8 * dtype.itemsize
    if dtype.kind == "uint":
        return _Iinfo(bits, 2**bits - 1, 0, dtype)
    return _Iinfo(bits, 2**(bits - 1) - 1, -2**(bits - 1), dtype)


# ---- creation

def _on_cpu(device):
    if device not in (None, "cpu"):
        raise ValueError(f"no device {device!r}")


def _shape(shape):
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _default_dtype(values):
    for type_, dtype in ((complex, complex128), (float, float64), (int, int64)):
        if any_of(isinstance(v, type_) and not isinstance(v, builtins.bool) for v in values):
            return dtype
    return bool if values else float64


def _flatten(obj):
    """Returns the shape and the numbers of nested lists."""
    if isinstance(obj, Array):
        return obj.shape, obj.dtype.unpack(obj._data)
    if not isinstance(obj, (list, tuple)):
        return (), [obj]
    parts = [_flatten(item) for item in obj]
    if any_of(part[0] != parts[0][0] for part in parts):
        raise ValueError("asarray: lists of different lengths")
    return (len(obj), *(parts[0][0] if parts else ())), [v for part in parts for v in part[1]]


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    _on_cpu(device)
    if isinstance(obj, Array):
        if dtype not in (None, obj.dtype):
            if copy is False:
                raise ValueError("asarray: another dtype needs a copy")
            return call("astype", obj, dtype.name)
        return Array(obj.dtype, obj.shape, obj._data) if copy else obj
    if copy is False:
        raise ValueError("asarray: Python's numbers are copied")
    shape, values = _flatten(obj)
    dtype = dtype or _default_dtype(values)
    return Array(dtype, shape, dtype.pack(values))


def full(shape, fill_value, *, dtype=None, device=None):
    _on_cpu(device)
    return call("full", scalar(fill_value, dtype or _default_dtype([fill_value])), _shape(shape))


def zeros(shape, *, dtype=None, device=None):
    _on_cpu(device)
    return call("zeros", scalar(0, dtype or float64), _shape(shape))


def ones(shape, *, dtype=None, device=None):
    _on_cpu(device)
    return call("ones", scalar(0, dtype or float64), _shape(shape))


def empty(shape, *, dtype=None, device=None):
    _on_cpu(device)
    return call("empty", scalar(0, dtype or float64), _shape(shape))


def full_like(x, /, fill_value, *, dtype=None, device=None):
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    return zeros(x.shape, dtype=dtype or x.dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    return ones(x.shape, dtype=dtype or x.dtype, device=device)


def empty_like(x, /, *, dtype=None, device=None):
    return empty(x.shape, dtype=dtype or x.dtype, device=device)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    _on_cpu(device)
    if stop is None:
        start, stop = 0, start
    dtype = dtype or _default_dtype([start, stop, step])
    if dtype.kind in ("int", "uint"):  # bounds beyond a dtype, as of an empty range, are of int64
        result = call("arange", *(scalar(int(v), int64) for v in (start, stop, step)))
        return result if dtype == int64 else call("astype", result, dtype.name)
    return call("arange", *(scalar(v, dtype) for v in (start, stop, step)))


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    _on_cpu(device)
    dtype = dtype or float64
    return call("linspace", scalar(start, dtype), scalar(stop, dtype), num, endpoint)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    _on_cpu(device)
    n_cols = n_rows if n_cols is None else n_cols
    return call("eye", scalar(0, dtype or float64), n_rows, n_cols, k)


def tril(x, /, *, k=0):
    return call("tril", x, k)


def triu(x, /, *, k=0):
    return call("triu", x, k)


def meshgrid(*arrays, indexing="xy"):
    # Of views, as Tessera's, whose number of arrays the compiler must know.
    rank = len(arrays)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = [1, 0]
    along = [call("reshape", x, [x.size if axis == place else 1 for axis in range(rank)])
             for x, place in zip(arrays, order)]
    return list(calls("broadcast_arrays", *along)) if arrays else []


# ---- manipulation

def broadcast_to(x, /, shape):
    return call("broadcast_to", x, _shape(shape))


def broadcast_arrays(*arrays):
    return list(calls("broadcast_arrays", *arrays))


def concat(arrays, /, *, axis=0):
    if axis is None:
        arrays, axis = [call("reshape", x, (x.size,)) for x in arrays], 0
    return call("concat", axis, *arrays)


def stack(arrays, /, *, axis=0):
    return call("stack", axis, *arrays)


def unstack(x, /, *, axis=0):
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"unstack: no axis {axis}")
    places = [slice(None)] * (axis % x.ndim)
    return tuple(x[(*places, i, ...)] for i in range(x.shape[axis]))


def expand_dims(x, /, axis):
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise IndexError(f"expand_dims: no axis {axis}")
    return call("expand_dims", x, axis)


def squeeze(x, /, axis):
    return call("squeeze", x, axis)


def flip(x, /, *, axis=None):
    return call("flip", x, axis)


def permute_dims(x, /, axes):
    return call("permute_dims", x, tuple(axes))


def moveaxis(x, source, destination, /):
    sources = [s % x.ndim for s in _shape(source)]
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for place, axis in sorted(zip((d % x.ndim for d in _shape(destination)), sources)):
        order.insert(place, axis)
    return call("permute_dims", x, order)


def reshape(x, /, shape, *, copy=None):
    return call("reshape", x, _shape(shape))


def roll(x, /, shift, *, axis=None):
    shifts = _shape(shift)
    axes = axis if axis is None else _shape(axis)
    if axes is not None and len(shifts) == 1:
        shifts = shifts * len(axes)
    return call("roll", x, shifts, axes)


def tile(x, repetitions, /):
    return call("tile", x, tuple(repetitions))


def repeat(x, repeats, /, *, axis=None):
    counts = repeats.dtype.unpack(repeats._data) if isinstance(repeats, Array) else [repeats]
    is_one = not isinstance(repeats, Array) or repeats.size == 1
    return call("repeat", x, counts, axis, is_one)


# ---- searching, sorting, sets, indexing

def _axes(axis):
    return axis if axis is None else _shape(axis)


def argmax(x, /, *, axis=None, keepdims=False):
    return call("argmax", x, _axes(axis), keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    return call("argmin", x, _axes(axis), keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    return call("count_nonzero", x, _axes(axis), keepdims)


def nonzero(x, /):
    return calls("nonzero", x)


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    if sorter is not None:
        x1 = call("take", x1, sorter, 0)
    return call("searchsorted", x1, x2, side == "right")


def sort(x, /, *, axis=-1, descending=False, stable=True):
    return call("sort", x, axis, descending)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    return call("argsort", x, axis, descending)


_All = namedtuple("unique_all_result", "values indices inverse_indices counts")
_Counts = namedtuple("unique_counts_result", "values counts")
_Inverse = namedtuple("unique_inverse_result", "values inverse_indices")


def unique_all(x, /):
    return _All(*calls("unique_all", x))


def unique_counts(x, /):
    return _Counts(*calls("unique_counts", x))


def unique_inverse(x, /):
    return _Inverse(*calls("unique_inverse", x))


def unique_values(x, /):
    return call("unique_values", x)


def take(x, indices, /, *, axis=None):
    return call("take", x, indices, 0 if axis is None else axis)


def take_along_axis(x, indices, /, *, axis=-1):
    axis = axis % x.ndim
    full_shape = [b if a == 1 else a for a, b in zip(x.shape, indices.shape)]
    x = call("broadcast_to", x, [*full_shape[:axis], x.shape[axis], *full_shape[axis + 1:]])
    indices = call("broadcast_to", indices,
                   [*full_shape[:axis], indices.shape[axis], *full_shape[axis + 1:]])
    return call("take_along_axis", x, indices, axis)


# ---- statistics, utilities

def _as(x, dtype):
    return x if dtype in (None, x.dtype) else call("astype", x, dtype.name)


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    return _as(call("sum", _as(x, dtype), _axes(axis), keepdims), dtype)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    return _as(call("prod", _as(x, dtype), _axes(axis), keepdims), dtype)


def max(x, /, *, axis=None, keepdims=False):
    return call("max", x, _axes(axis), keepdims)


def min(x, /, *, axis=None, keepdims=False):
    return call("min", x, _axes(axis), keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    return call("mean", x, _axes(axis), keepdims)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    return call("std", x, _axes(axis), keepdims, repr(float(correction)))


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    return call("var", x, _axes(axis), keepdims, repr(float(correction)))


def _only_axis(x, axis):
    if axis is None and x.ndim != 1:
        raise ValueError("requires an axis where there are several")
    return 0 if axis is None else axis


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    axis = _only_axis(x, axis)
    return _as(call("cumulative_sum", _as(x, dtype), axis, include_initial), dtype)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    axis = _only_axis(x, axis)
    return _as(call("cumulative_prod", _as(x, dtype), axis, include_initial), dtype)


def all(x, /, *, axis=None, keepdims=False):
    return call("all", x, _axes(axis), keepdims)


def any(x, /, *, axis=None, keepdims=False):
    return call("any", x, _axes(axis), keepdims)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    parts = [part for part in (prepend, x, append) if part is not None]
    return call("diff", concat(parts, axis=axis) if len(parts) > 1 else x, axis, n)


# ---- products

def matmul(x1, x2, /):
    return call("matmul", x1, x2)


def matrix_transpose(x, /):
    return call("matrix_transpose", x)


def tensordot(x1, x2, /, *, axes=2):
    if isinstance(axes, int):
        axes = (list(range(x1.ndim - axes, x1.ndim)), list(range(axes)))
    return call("tensordot", x1, x2, list(axes[0]), list(axes[1]))


def vecdot(x1, x2, /, *, axis=-1):
    return call("vecdot", x1, x2, axis)


# ---- inspection

class __array_namespace_info__:
    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self):
        return "cpu"

    def devices(self):
        return ["cpu"]

    def default_dtypes(self, *, device=None):
        _on_cpu(device)
        return {"real floating": float64, "complex floating": complex128, "integral": int64,
                "indexing": int64}

    def dtypes(self, *, device=None, kind=None):
        _on_cpu(device)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        return {dtype.name: dtype for dtype in _dtypes.ALL
                if kind is None or any_of(isdtype(dtype, k) for k in kinds)}


from . import fft, linalg  # noqa: E402  (they are made of the functions above)
