# SPDX-License-Identifier: Apache-2.0
"""Compares what print_hard_*.cpp print with what NumPy gives for the same hard values, and checks
that each public function of arrays has such values, or a reason to have none.

usage: hard_values.py <directory include/tessera> <program>...
"""

import pathlib
import re
import sys

import numpy as np

import printed
import reductions
import values

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "static"))
import names  # noqa: E402

EXCEPTIONS = {
    "takes no elements": """empty empty_like eye identity indices fromfunction fftfreq
        rfftfreq zeros ones broadcast_shapes""",
    "moves elements as they are, which the tests of stores and plans compare": """open store stored
        append appended from_local from_memory compute make_plan visit named converted""",
    "its values are of a function of the user": """reduction rolling scan map_blocks map_overlap
        apply_gufunc apply_along_axis apply_over_axes blockwise""",
    "has its own table of edges": "decode_cf",
}
# IEEE 754 leaves open which of two zeros is the greater.
SIGNLESS = re.compile(r"min|max|frequent|ptp|unique|union1d|intersect1d|setdiff1d")
SCALED = re.compile(r"fft")
# Of higher moments, the rounding of their parts stays.
ROUNDED = re.compile(r"skew|kurtosis|moment")
ULPS = 4
CALL = re.compile(r"\b([a-z]\w*)(?:<[^<>;()]*>)?\(")


def quantiles(x, places, method="linear"):
    """Returns NumPy's in a type that holds 64-bit integers, and NaN of no element."""
    if x.size == 0 or np.isnan(x).any():
        return np.full(len(places), np.nan)
    ordered = np.sort(x).astype(np.longdouble)
    if method != "linear":
        return np.quantile(ordered, places, method=method)
    results = []
    for place in places:
        at = place * (len(ordered) - 1)
        below, part = int(at), at - int(at)
        low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
        # Between an infinite and a finite element NumPy gives NaN or infinity, by the weight.
        if part == 0 or low == high or np.isneginf(low):
            results.append(low)
        else:
            results.append(low + (high - low) * part)
    return np.array(results)


def clean(x):
    return x[~np.isnan(x)]


def frequent(x):
    """Returns the most frequent element that is no NaN, the least of several."""
    distinct, counts = np.unique(clean(x), return_counts=True)
    return distinct[counts.argmax()] if distinct.size else x.dtype.type(np.nan)


def backwards(x):
    """Returns the indices of elements in descending order; equals in order, NaN at the end."""
    is_nan = np.isnan(x)
    _, ranks = np.unique(np.where(is_nan, x.dtype.type(0), x), return_inverse=True)
    return np.argsort(np.where(is_nan, x.size, -ranks), kind="stable")


def filled(x):
    return values.fill(x).astype(x.dtype) if x.size else x


def windows(x, length):
    return np.lib.stride_tricks.sliding_window_view(x, length)


def gaussian(x):
    weights = np.exp(-2.0 * np.arange(-1, 2) ** 2)
    return np.convolve(np.pad(x, 1, "symmetric"), weights / weights.sum(), "valid")


def hist2d_of(x, y, edges):
    """Returns the counts of pairs of bins: np.histogram2d takes no infinite edges."""
    counts = np.zeros((len(edges) - 1, len(edges) - 1), np.int64)
    for a, b in zip(x, y):
        at = [min(np.searchsorted(edges, v, "right") - 1, len(edges) - 2) for v in (a, b)]
        counts[tuple(at)] += 1
    return counts


def put(x, at, value):
    result = x.copy()
    result[at] = value
    return result


def same_elements(text, expected, actual):
    """Tells of each element whether it is the same: NaN for NaN, zeros with their signs."""
    if actual.dtype.kind in "biu":
        return np.asarray(expected.astype(object) == actual.astype(object), bool)
    same = values.same_bits(expected.astype(actual.dtype), actual)
    return same | (expected == actual) if SIGNLESS.search(text) else same


def near_elements(text, expected, actual):
    """Tells of each element whether it is within a few roundings: of sums of products in several
    orders, and of transforms, within a few of the largest element."""
    if actual.dtype.kind in "biu":
        return same_elements(text, expected, actual)
    if actual.dtype.kind == "c":
        parts = expected.astype(np.complex128)
        return near_elements(text, parts.real, actual.real) & near_elements(text, parts.imag, actual.imag)
    e, f = expected.astype(np.longdouble), actual.astype(np.longdouble)
    scale = np.abs(e)
    if SCALED.search(text):
        scale = np.maximum(scale, np.abs(e[np.isfinite(e)]).max(initial=0))
    limits = np.finfo(actual.dtype)
    ulps = 4000 if ROUNDED.search(text) else ULPS
    close = np.abs(e - f) <= ulps * (limits.eps * scale + limits.smallest_subnormal)
    return close | (np.isnan(e) & np.isnan(f)) | (e.astype(actual.dtype) == f)


def problem(relation, text, names_of, actual):
    """Returns the fault of a result, or None."""
    if relation == "call":
        name, arity = text.split()
        operands = [names_of[f"a{i}"] for i in range(int(arity))]
        wrong = values.wrong_elements(name, operands, actual) if actual.size else []
        return None if len(wrong) == 0 else (
            f"{name}{tuple(x[wrong[0]] for x in operands)} of {operands[-1].dtype}: "
            f"{actual[wrong[0]]!r}; {len(wrong)} of {len(actual)} differ")
    given = names_of["x"]
    if relation == "near":
        floats = {name: reductions.wide(value) for name, value in names_of.items()
                  if isinstance(value, np.ndarray)}
        names_of = {**names_of, **floats}
    expected = np.asarray(eval(text, names_of))
    if expected.shape != actual.shape:
        return f"{given} {text}: shape {actual.shape}, not {expected.shape}"
    right = (near_elements if relation == "near" else same_elements)(text, expected, actual)
    return None if np.all(right) else f"{given.dtype} {given} {text}: {actual}, not {expected}"


def compare(program):
    """Returns the functions that a program calls by name, how many results it has, and faults."""
    called, compared, faults = set(), 0, []
    names_of = dict(vars(reductions), **globals())
    for relation, text, array in printed.results(program, names_of):
        compared += 1
        called |= {text.split()[0]} if relation == "call" else set()
        with np.errstate(all="ignore"):
            fault = problem(relation, text, names_of, array)
        faults += [fault] if fault else []
    return called, compared, faults


def public_functions(include):
    """Returns the names of the public functions of arrays, each with its header."""
    functions = {}
    for folder in ("function", "array"):
        for path in sorted((pathlib.Path(include) / folder).glob("*.hpp")):
            text = re.sub(r"^template <(.*?)> (requires [^{]*?)?(\[\[nodiscard\]\] )?auto (.*)$",
                          r"template <\1>\n\2\nauto \4", path.read_text(), flags=re.MULTILINE)
            for name, _ in names.functions(text):
                functions.setdefault(name, path.name)
    return functions


def without_values(include, called):
    """Returns one line for each function without hard values and without a reason."""
    for path in HERE.glob("print_hard_*.cpp"):
        called |= set(CALL.findall(path.read_text()))
    reasons = {name for text in EXCEPTIONS.values() for name in text.split()}
    functions = public_functions(include)
    lines = [f"{functions[name]}: {name} has no hard values: call it in print_hard_*.cpp, or give "
             "hard_values.py a reason" for name in sorted(functions.keys() - called - reasons)]
    return lines + [f"hard_values.py: {name} is no public function"
                    for name in sorted(reasons - functions.keys())]


def main(include, *programs):
    called, compared, faults = set(), 0, []
    for program in programs:
        of_program = compare(program)
        called |= of_program[0]
        compared += of_program[1]
        faults += of_program[2]
    faults += without_values(include, called)
    print("\n".join(faults))
    print(f"{compared} results, {len(faults)} wrong")
    return 1 if faults or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
