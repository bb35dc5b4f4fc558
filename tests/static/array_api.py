# SPDX-License-Identifier: Apache-2.0
"""Checks the book's table of the Python Array API standard: that it names each function of the
standard once, and that those which it says are there are declared in public headers.

usage: array_api.py <source directory>
"""

import pathlib
import re
import sys

# The functions of version 2024.12, by the chapters of its specification.
STANDARD = {
    "constants": "e inf nan newaxis pi",
    "creation": """arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid
        ones ones_like tril triu zeros zeros_like""",
    "data types": "astype can_cast finfo iinfo isdtype result_type",
    "elementwise": """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift
        bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh
        divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf
        isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or
        logical_xor maximum minimum multiply negative nextafter not_equal positive pow real
        reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc""",
    "indexing": "take take_along_axis",
    "inspection": "__array_namespace_info__ __array_api_version__",
    "linear algebra": """matmul matrix_transpose tensordot vecdot cholesky cross det diagonal eigh
        eigvalsh inv matrix_norm matrix_power matrix_rank outer pinv qr slogdet solve svd svdvals
        trace vector_norm""",
    "fourier": """fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift
        ifftshift""",
    "manipulation": """broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims
        repeat reshape roll squeeze stack tile unstack""",
    "searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "sets": "unique_all unique_counts unique_inverse unique_values",
    "sorting": "argsort sort",
    "statistical": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "utility": "all any diff",
}
HEADERS = ("array", "expr", "function", "meta")
ROW = re.compile(r"^\| (?P<chapter>[a-z ]+) \| (?P<there>[^|]*) \| (?P<other>[^|]*) \|$")


def rows(text):
    """Returns of each chapter of the table what is there and what is said of the rest."""
    _, _, after = text.partition("## The Python Array API standard\n")
    return rows_of(after.partition("\n## ")[0])


def rows_of(section):
    """As `rows`, of the table alone."""
    found = {}
    for line in section.splitlines():
        match = ROW.match(line)
        if match and match["chapter"] in STANDARD:
            found[match["chapter"]] = (match["there"], match["other"])
    return found


def names_in(cell):
    """Returns the names between backquotes in a cell."""
    return [name for quoted in re.findall(r"`([^`]*)`", cell) for name in quoted.split()]


def absent_names(reasons):
    """Returns the names that reasons are given for. Behind the colon of each reason stand names that
    are Tessera's own."""
    return names_in(" ".join(reason.split(":")[0] for reason in reasons.split(";")))


def is_declared(name, headers):
    return re.search(rf"\b{name}\b *(\(|<|;|=|\{{)", headers) is not None


def public_headers(root):
    """Returns the text of the headers that declare functions."""
    return "\n".join(path.read_text() for folder in HEADERS
                     for path in sorted((root / "include/tessera" / folder).rglob("*.hpp")))


def problems(table, headers):
    """Returns what is wrong with a table, given the text of all headers."""
    found = [f"no line for {chapter}" for chapter in STANDARD.keys() - table.keys()]
    for chapter, (there, other) in table.items():
        standard = STANDARD[chapter].split()
        named = names_in(there) + absent_names(other)
        found += [f"{chapter}: {name} is not named" for name in standard if name not in named]
        found += [f"{chapter}: {name} is not in the standard"
                  for name in named if name not in standard]
        found += [f"{chapter}: {name} is named twice"
                  for name in set(named) if named.count(name) > 1]
        found += [f"{chapter}: {name} is in no public header" for name in names_in(there)
                  if not is_declared(name, headers)]
    return sorted(found)


def main(source):
    root = pathlib.Path(source)
    lines = problems(rows((root / "examples/book/functions.md").read_text()), public_headers(root))
    print("\n".join(lines) or "the table has each function of the standard")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
