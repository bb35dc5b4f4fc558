# SPDX-License-Identifier: Apache-2.0
"""Compares what print_*.cpp print with what NumPy computes of the same operands.

Where a result follows from IEEE 754 or from integers alone, each bit is compared, but for the sign
and the payload of NaN. Other functions are compared with NumPy's in a wider type, within the error
that is promised.

usage: values.py <program>...
"""

import math
import subprocess
import sys

import numpy as np

# NumPy's names if they differ from the Array API's.
NAMES = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
         "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "bitwise_invert": "invert",
         "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "pow": "power",
         "round": "rint", "stddev": "std"}

# Computed in a wider type; complex numbers in one wider type always, but for those of EXACT_COMPLEX.
WIDENED = {"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf",
           "erfc", "exp", "exp2", "expm1", "fma", "hypot", "lgamma", "log", "log10", "log1p", "log2",
           "logaddexp", "logaddexp2", "pow", "sin", "sinc", "sinh", "tan", "tanh", "tgamma"}
EXACT_COMPLEX = {"positive", "negative", "add", "subtract", "conj", "real", "imag", "equal",
                 "not_equal", "isnan", "isinf", "isfinite", "where", "isreal", "iscomplex", "isclose",
                 "nan_to_num", "fillna"}
WIDER = {"float16": np.float64, "float32": np.float64, "float64": np.longdouble,
         "complex64": np.complex128, "complex128": np.clongdouble}
MAX_ULPS = 3
MAX_ULPS_OF_FOLDS = 4
MAX_ULPS_OF_PARTS = 8  # of complex numbers, relative to the magnitude


def elementwise(f):
    """Returns a function of arrays of that of Python's math module, as C has it at its poles."""
    def at(x):
        try:
            return f(x)
        except OverflowError:
            return math.inf if f is math.lgamma else math.copysign(math.inf, x)
        except ValueError:
            if f is math.lgamma:
                return math.inf
            return math.copysign(math.inf, x) if x == 0 else math.nan
    return lambda x: np.array([at(float(v)) for v in x], dtype=x.dtype)


def isclose(a, b):
    """As NumPy 2; NumPy 1 makes NaN of complex infinities."""
    a, b = (x.astype(np.result_type(x, 1.0)) for x in (a, b))
    return (np.isfinite(b) & (np.abs(a - b) <= 1e-8 + 1e-5 * np.abs(b))) | (a == b)


def sign(x):
    """As NumPy 2; NumPy 1 gives complex numbers the sign of their real parts."""
    if x.dtype.kind != "c":
        return np.sign(x)
    return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))


# What NumPy has by another name, or not.
OTHERS = {"isclose": isclose, "sign": sign, "erf": elementwise(math.erf),
          "erfc": elementwise(math.erfc), "tgamma": elementwise(math.gamma),
          "lgamma": elementwise(math.lgamma), "fma": lambda a, b, c: a * b + c,
          "fillna": lambda x, value: np.where(np.isnan(x), value, x),
          "modf": lambda x: np.modf(x)[0], "frexp": lambda x: np.frexp(x)[0],
          "frexp_exponent": lambda x: np.frexp(x)[1],
          "ldexp": lambda x, e: np.ldexp(x, np.clip(e, -10000, 10000).astype(int))}
# Python's gamma functions are not exact themselves.
ULPS = {"tgamma": 20, "lgamma": 20}
# Multiples of the rounding of 1: NumPy's sinc is not 0 at whole numbers.
NEARLY = {"sinc": 2, "lgamma": 4}

# IEEE 754 leaves open which of two zeros is the greater; after -0.0 towards 0.0 comes 0.0 in C, and
# in NumPy of each type but float16.
SIGNLESS_ZEROS = {"maximum", "minimum", "clip", "max", "min", "nextafter", "fmax", "fmin"}

FOLDS = {"sum", "prod", "mean", "min", "max", "var", "stddev", "any", "all", "argmin", "argmax",
         "nanargmin", "nanargmax", "first", "last", "skew", "kurtosis", "count"}
# Of higher moments, the rounding of their parts stays.
ROUNDED_FOLDS = {"skew": 3, "kurtosis": 4}

WINDOW = 3


def fill(x):
    """Returns `x` with each NaN replaced by the last element before it that is none."""
    last = np.maximum.accumulate(np.where(np.isnan(x), -1, np.arange(len(x))))
    return np.where(last < 0, np.nan, x[last])


def windows_of(f):
    return lambda x: f(np.lib.stride_tricks.sliding_window_view(x, WINDOW), axis=-1)


SCANS = {"cumulative_sum": np.cumsum, "cumulative_prod": np.cumprod, "nancumsum": np.nancumsum,
         "nancumprod": np.nancumprod, "cumulative_max": np.maximum.accumulate,
         "cumulative_min": np.minimum.accumulate, "ffill": fill, "bfill": lambda x: fill(x[::-1])[::-1],
         "rolling_sum": windows_of(np.sum), "rolling_mean": windows_of(np.mean),
         "rolling_min": windows_of(np.min), "rolling_max": windows_of(np.max),
         "rolling_stddev": windows_of(np.std)}


def expected_scan(name, x):
    """Returns NumPy's scan, in a type with negligible rounding."""
    if name.endswith(("max", "min", "fill")):
        return SCANS[name](x)
    if x.dtype.kind in "biu" and name.endswith(("sum", "prod")):
        return SCANS[name](x.astype(np.uint64 if x.dtype.kind == "u" else np.int64))
    return SCANS[name](x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble))


def wrong_scan(name, x, result):
    """Returns the numbers of the elements that differ from NumPy's."""
    expected = expected_scan(name, x)
    if expected.dtype == result.dtype:
        same = (expected == result) | same_bits(expected, result)
    else:
        # Of terms that cancel, the rounding of their sum in float64 stays.
        magnitudes = np.abs(np.nan_to_num(x.astype(np.clongdouble), posinf=0, neginf=0))
        cancelled = 8 * np.finfo(np.float64).eps * float(np.sum(magnitudes))
        same = near(expected, result, MAX_ULPS_OF_FOLDS, cancelled)
    return np.flatnonzero(~same)


def operand(kind, text):
    """Returns the array that a column of a line holds."""
    return np.frombuffer(bytes.fromhex(text), dtype="bool" if kind == "bool" else kind)


def expected_shape(x, power):
    """Returns the moment about the mean, as SciPy standardises it."""
    d = x - x.mean()
    variance = (d ** 2).mean()
    if not variance > (np.finfo(np.float64).eps * x.mean()) ** 2:
        return np.float64(np.nan)
    return (d ** power).mean() / variance ** (power / 2) - (3 if power == 4 else 0)


def expected_fold(name, x):
    """Returns NumPy's fold, in a type with negligible rounding."""
    if name in ("nanargmin", "nanargmax") and np.isnan(x).all():
        return np.int64(-1)
    if name == "count":
        return np.count_nonzero(x == x)
    if name in ("first", "last"):
        return x[0 if name == "first" else -1]
    if name in ROUNDED_FOLDS:
        return expected_shape(x.astype(np.float64), ROUNDED_FOLDS[name])
    if name in ("min", "max", "any", "all", "argmin", "argmax", "nanargmin", "nanargmax"):
        return getattr(np, name)(x)
    if x.dtype.kind in "biu" and name in ("sum", "prod"):
        return getattr(np, name)(x, dtype=np.uint64 if x.dtype.kind == "u" else np.int64)
    wide = {"f": np.longdouble, "c": np.clongdouble}.get(x.dtype.kind, np.longdouble)
    folded = getattr(np, NAMES.get(name, name))(x, dtype=wide)
    return folded.real if name in ("var", "stddev") else folded


def expected_elements(name, operands, result):
    """Returns NumPy's result for the operands, in a wider type if results are rounded."""
    if name in ("ceil", "floor", "round", "trunc") and operands[0].dtype.kind in "iu":
        return operands[0]
    if name == "clip":
        return np.minimum(np.maximum(operands[0], operands[1]), operands[2])
    if result.dtype.kind in "fc" and all(x.dtype.kind in "iu" for x in operands) \
            and name not in ("real", "imag"):
        operands = [x.astype(result.dtype) for x in operands]
    if operands[-1].dtype.kind in "iu" and result.dtype.kind == "b" and \
            name in ("signbit", "isnan", "isinf", "isfinite"):
        operands = [x.astype(np.float64) for x in operands]
    is_complex = operands[-1].dtype.kind == "c"
    if (name in WIDENED and result.dtype.kind in "fc") or (is_complex and name not in EXACT_COMPLEX):
        operands = [x.astype(WIDER[x.dtype.name]) for x in operands]
    if name == "real" and not is_complex:
        return operands[0]
    if name == "imag" and not is_complex:
        return np.zeros_like(operands[0])
    return (OTHERS.get(name) or getattr(np, NAMES.get(name, name)))(*operands)


def same_bits(expected, actual):
    """Tells of each element whether it is the same: NaN for NaN, and zeros with their signs."""
    if actual.dtype.kind == "c":
        return same_bits(expected.real, actual.real) & same_bits(expected.imag, actual.imag)
    if actual.dtype.kind != "f":
        return expected == actual
    same = (expected == actual) & (np.signbit(expected) == np.signbit(actual))
    return same | (np.isnan(expected) & np.isnan(actual))


def near(expected, actual, ulps, allowance=0.0):
    """Tells of each element whether it is near the expected one: `ulps` and `allowance`."""
    if actual.dtype.kind == "c":
        part = actual.real.dtype
        unit = np.abs(expected) * np.finfo(part).eps + np.finfo(part).smallest_subnormal
        close = np.abs(expected - actual) <= ulps * unit + allowance
        # What C++ and C say of infinite and NaN parts differs; an overflow is one in both.
        return close | ~np.isfinite(expected.astype(actual.dtype))
    rounded = expected.astype(actual.dtype)
    unit = np.spacing(np.abs(np.where(np.isfinite(rounded), rounded, 0)))
    close = np.abs(expected - actual) <= ulps * unit.astype(expected.dtype) + allowance
    edge = np.abs(expected) >= np.finfo(actual.dtype).max * (1 - ulps * np.finfo(actual.dtype).eps)
    limit = np.finfo(actual.dtype).max * (1 - 2 * ulps * np.finfo(actual.dtype).eps)
    are_beyond = edge & (np.abs(actual) >= limit) & (np.sign(expected) == np.sign(actual))
    return close | same_bits(rounded, actual) | are_beyond


def wrong_results(name, x, result):
    """Returns 0 if a fold differs from NumPy's, or nothing."""
    expected = np.asarray(expected_fold(name, x))[np.newaxis]
    if name in ROUNDED_FOLDS:
        actual = result.astype(np.float64)
        unit = max(1e-9, 4 * np.finfo(result.dtype).eps)
        overflows = not np.abs(x.astype(np.float64)).max() < 1e70
        same = np.isclose(expected, actual, unit, unit, equal_nan=True) | overflows
        return np.flatnonzero(~same)
    if expected.dtype == result.dtype:
        same = (expected == result) | same_bits(expected, result)
    else:
        # Of terms that cancel, the rounding of their sum in float64 stays.
        cancelled = 0.0
        if name in ("sum", "mean"):
            magnitudes = np.abs(x.astype(np.clongdouble))
            cancelled = np.finfo(np.float64).eps * getattr(np, name)(magnitudes)
            cancelled = cancelled if np.isfinite(cancelled) else 0.0
        same = near(expected, result, MAX_ULPS_OF_FOLDS, cancelled)
    return np.flatnonzero(~same)


def wrong_elements(name, operands, result):
    """Returns the numbers of the elements that differ from NumPy's."""
    expected = expected_elements(name, operands, result)
    if expected.dtype == result.dtype:
        same = same_bits(expected, result)
        if name in SIGNLESS_ZEROS:
            same |= expected == result
    elif result.dtype.kind == "f":
        # The rounding of an operand that is added to stays if it cancels.
        added = np.abs(operands[0]) + np.abs(operands[1]) if name in ("logaddexp", "logaddexp2") \
            else np.zeros(1)
        added = np.where(np.isfinite(added), added, 0) * float(np.finfo(result.dtype).eps)
        added = added + NEARLY.get(name, 0) * float(np.finfo(result.dtype).eps)
        same = near(expected, result, ULPS.get(name, MAX_ULPS), added)
    elif result.dtype.kind == "c":
        finite = np.logical_and.reduce([np.isfinite(x) for x in operands])
        same = near(expected, result, MAX_ULPS_OF_PARTS,
                    NEARLY.get(name, 0) * float(np.finfo(result.dtype).eps)) | ~finite
    else:
        raise TypeError(f"{name}: NumPy gives {expected.dtype}, found {result.dtype}")
    return np.flatnonzero(~same)


def problems(line):
    """Returns the fault of a line of a program, or None, and the case that was compared."""
    fields = line.split()
    name, count = fields[0], (len(fields) - 1) // 2
    kinds, texts = fields[1:1 + count], fields[1 + count:]
    *operands, result = [operand(kind, text) for kind, text in zip(kinds, texts)]
    with np.errstate(all="ignore"):
        wrong = wrong_results(name, *operands, result) if name in FOLDS else \
            wrong_scan(name, *operands, result) if name in SCANS else \
            wrong_elements(name, operands, result)
    at = f"{name}({', '.join(kinds[:-1])})"
    if len(wrong) == 0:
        return None, (name, tuple(kinds))
    if name in FOLDS:
        return (f"{at}: {operands[0]} gives {result}, not {expected_fold(name, operands[0])}",
                (name, tuple(kinds)))
    if name in SCANS:
        return (f"{at}: {operands[0]} gives {result}, not {expected_scan(name, operands[0])}",
                (name, tuple(kinds)))
    first = wrong[0]
    return (f"{at}: {len(wrong)} of {len(result)} differ from NumPy, the first: "
            f"{[x[first] for x in operands]} gives {result[first]!r}, not "
            f"{expected_elements(name, operands, result)[first]!r}", (name, tuple(kinds)))


def main(*programs):
    compared, failures = set(), []
    for program in programs:
        run = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
        for line in run.stdout.splitlines():
            problem, case = problems(line)
            compared.add(case)
            failures += [problem] if problem else []
    functions = {name for name, _ in compared}
    print("\n".join(failures))
    print(f"{len(functions)} functions, {len(compared)} with their dtypes, {len(failures)} wrong")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
