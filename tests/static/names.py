# SPDX-License-Identifier: Apache-2.0
"""Checks that each public function of arrays takes those whose axes have names as well: that it has
a line in labelled/, or stands in the list of those that do not, with the reason.

usage: names.py <directory include/tessera>
"""

import pathlib
import re
import sys

WITHOUT_NAMES = {
    "matrices, whose axes are rows and columns": """cholesky eigh eigvalsh qr svd svdvals inv det
        slogdet lu solve solve_triangular lstsq pinv matrix_rank matrix_norm matrix_power norm cov corrcoef inner dot
        outer kron diag""",
    "the axes of the result are none of those of x": """reshape ravel flatten tile bincount histogram
        histogram2d nonzero argwhere flatnonzero extract unique_values unique_inverse unique_all
        union1d intersect1d setdiff1d hstack vstack dstack block meshgrid broadcast_to
        broadcast_arrays atleast_nd atleast_1d atleast_2d atleast_3d searchsorted""",
    "axes by letters, or as blocks": """einsum map_blocks map_overlap apply_gufunc blockwise
        apply_along_axis apply_over_axes""",
    "turns that are known when the program runs": "rot90",
    "moveaxis says it more plainly": "rollaxis",
    "indices in the order of the axes": "with put_along_axis",
    "no result with axes": "allclose array_equal weights make_plan converted",
}
TEMPLATE = re.compile(
    r"^template <(?P<parameters>[^{};]*?)>\n(?P<head>(?:requires[^{;]*?\n)?[^{;]*?)\{", re.MULTILINE)
NAMESPACE = re.compile(r"^(?:namespace (?P<into>\w+) \{|\}  // namespace \w+)$", re.MULTILINE)
FUNCTION = re.compile(r"(?:auto|array<[^(]*>) (?P<name>[a-z]\w*)\(")
LINE = re.compile(r"(?:auto|labelled_handle<X>) (\w+)\(")


def functions(text):
    """Returns the public function templates of a header that take arrays."""
    found = set()
    for match in TEMPLATE.finditer(text):
        open_namespaces = []
        for space in NAMESPACE.finditer(text[:match.start()]):
            if space["into"]:
                open_namespaces.append(space["into"])
            elif open_namespaces:
                open_namespaces.pop()
        takes_arrays = re.search(r"array_(?:expression|argument)|has_array",
                                 match["parameters"] + match["head"])
        function = FUNCTION.search(match["head"])
        if open_namespaces == ["tessera"] and takes_arrays and function:
            found.add(function["name"])
    return found


def problems(include):
    """Returns one line for each function that is neither in labelled/ nor in the list."""
    headers = pathlib.Path(include)
    named = {name for path in (headers / "labelled").glob("*.hpp")
             for name in LINE.findall(path.read_text())}
    known = {name for names in WITHOUT_NAMES.values() for name in names.split()}
    found = {}
    for folder in ("function", "array"):
        for path in sorted((headers / folder).glob("*.hpp")):
            for name in functions(path.read_text()):
                found.setdefault(name, path.name)
    lines = [f"{found[name]}: {name} takes no array whose axes have names: give it a line in "
             "labelled/, or a reason in names.py" for name in sorted(found.keys() - named - known)]
    lines += [f"names.py: {name} has a line in labelled/ and a reason to have none"
              for name in sorted(named & known)]
    return lines if found and named else ["there is no function"]


if __name__ == "__main__":
    lines = problems(sys.argv[1])
    print("\n".join(lines) or "every function takes arrays with names, or says why not")
    sys.exit(1 if lines else 0)
