# SPDX-License-Identifier: Apache-2.0
"""The extension of Fourier transforms."""

from ._array import call


def _along_line(name):
    def transform(x, /, *, n=None, axis=-1, norm="backward"):
        return call(name, x, n, axis, norm)
    transform.__name__ = name
    return transform


fft, ifft, rfft, irfft, hfft, ihfft = map(
    _along_line, ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])


def _axes(x, s, axes):
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    return list(axes)


def _along_axes(name, first, last):
    """`first` is along the last axis, `last` along the others, where extents are given: Tessera's
    transforms along several axes take them as they are."""
    def transform(x, /, *, s=None, axes=None, norm="backward"):
        axes = _axes(x, s, axes)
        if s is None:
            return call(name, x, axes, norm)
        pairs = list(zip(s, axes))
        if name == "irfftn":
            for n, axis in pairs[:-1]:
                x = call(last, x, n, axis, norm)
            return call(first, x, *pairs[-1], norm)
        x = call(first, x, *pairs[-1], norm)
        for n, axis in reversed(pairs[:-1]):
            x = call(last, x, n, axis, norm)
        return x
    transform.__name__ = name
    return transform


fftn = _along_axes("fftn", "fft", "fft")
ifftn = _along_axes("ifftn", "ifft", "ifft")
rfftn = _along_axes("rfftn", "rfft", "fft")
irfftn = _along_axes("irfftn", "irfft", "ifft")


def _frequencies(name, n, d, dtype):
    result = call(name, n, repr(float(d)))
    return result if dtype in (None, result.dtype) else call("astype", result, dtype.name)


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    return _frequencies("fftfreq", n, d, dtype)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    return _frequencies("rfftfreq", n, d, dtype)


def _shift(name, x, axes):
    axes = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else axes
    for axis in axes:
        x = call(name, x, axis)
    return x


def fftshift(x, /, *, axes=None):
    return _shift("fftshift", x, axes)


def ifftshift(x, /, *, axes=None):
    return _shift("ifftshift", x, axes)
