# SPDX-License-Identifier: Apache-2.0
"""The extension of linear algebra."""

from collections import namedtuple

from . import matmul, matrix_transpose, tensordot, vecdot  # noqa: F401  (named here as well)
from ._array import Array, call, calls

_Eigh = namedtuple("eigh_result", "eigenvalues eigenvectors")
_Qr = namedtuple("qr_result", "Q R")
_Slogdet = namedtuple("slogdet_result", "sign logabsdet")
_Svd = namedtuple("svd_result", "U S Vh")


def _rtol(rtol):
    if rtol is None:
        return None
    if isinstance(rtol, Array):
        if rtol.size != 1:
            raise NotImplementedError("rtol: one number for all matrices")
        rtol = rtol.dtype.unpack(rtol._data)[0]
    return repr(float(rtol))


def cholesky(x, /, *, upper=False):
    lower = call("cholesky", x)
    if not upper:
        return lower
    return call("matrix_transpose", call("conj", lower) if x.dtype.kind == "complex" else lower)


def cross(x1, x2, /, *, axis=-1):
    return call("cross", x1, x2, axis)


def det(x, /):
    return call("det", x)


def diagonal(x, /, *, offset=0):
    return call("diagonal", x, offset)


def eigh(x, /):
    return _Eigh(*calls("eigh", x))


def eigvalsh(x, /):
    return call("eigvalsh", x)


def inv(x, /):
    return call("inv", x)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    norm = call("matrix_norm", x, str(ord))
    return call("reshape", norm, (*norm.shape, 1, 1)) if keepdims else norm


def matrix_power(x, n, /):
    return call("matrix_power", x, n)


def matrix_rank(x, /, *, rtol=None):
    return call("matrix_rank", x, _rtol(rtol))


def outer(x1, x2, /):
    return call("outer", x1, x2)


def pinv(x, /, *, rtol=None):
    return call("pinv", x, _rtol(rtol))


def qr(x, /, *, mode="reduced"):
    return _Qr(*calls("qr", x, mode == "complete"))


def slogdet(x, /):
    return _Slogdet(*calls("slogdet", x))


def solve(x1, x2, /):
    return call("solve", x1, x2)


def svd(x, /, *, full_matrices=True):
    return _Svd(*calls("svd", x, full_matrices))


def svdvals(x, /):
    return call("svdvals", x)


def trace(x, /, *, offset=0, dtype=None):
    if dtype is not None:
        x = call("astype", x, dtype.name)
    traces = call("trace", x, offset)
    return traces if dtype in (None, traces.dtype) else call("astype", traces, dtype.name)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    axes = axis if axis is None or isinstance(axis, tuple) else (axis,)
    return call("vector_norm", x, axes, keepdims, str(ord))
