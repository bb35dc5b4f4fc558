# SPDX-License-Identifier: Apache-2.0
"""Checks that each public function of arrays takes arrays with names as well. The concept of its
argument says so (array_argument, has_array, lazy_array), or an overload in labelled/, or one for
have_names beside the function. Functions that do not stand in a list, with the reason.

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
    "no result with axes": "allclose array_equal weights make_plan",
    "names of the file, known when the program runs": "isel",
}
TEMPLATE = re.compile(
    r"^template <(?P<parameters>[^{};]*?)>\n(?P<head>(?:requires[^{;]*?\n)?[^{;]*?)\{", re.MULTILINE)
NAMESPACE = re.compile(r"^(?:namespace (?P<into>\w+) \{|\}  // namespace \w+)$", re.MULTILINE)
FUNCTION = re.compile(r"(?:auto|array<[^(]*>|labelled_handle<X>) (?P<name>[a-z]\w*)\(")
WITH_NAMES = re.compile(r"\b(?:array_argument|has_array|lazy_array|labelled_array|have_names)\b")
WITHOUT = re.compile(r"\b(?:array_expression|unnamed_argument|has_unnamed_array)\b")


def functions(text):
    """Yields the public function templates of a header: name, and text in front of the body."""
    for match in TEMPLATE.finditer(text):
        open_namespaces = []
        for space in NAMESPACE.finditer(text[:match.start()]):
            if space["into"]:
                open_namespaces.append(space["into"])
            elif open_namespaces:
                open_namespaces.pop()
        function = FUNCTION.search(match["head"])
        if open_namespaces == ["tessera"] and function:
            yield function["name"], match["parameters"] + match["head"]


def problems(include):
    """Returns one line for each function that takes no names and has no reason."""
    headers = pathlib.Path(include)
    known = {name for names in WITHOUT_NAMES.values() for name in names.split()}
    with_names, without = set(), {}
    for folder in ("function", "array", "labelled"):
        for path in sorted((headers / folder).glob("*.hpp")):
            text = re.sub(r"^template <(.*?)> (requires [^{]*?)?(\[\[nodiscard\]\] )?auto (.*)$",
                          r"template <\1>\n\2\nauto \4", path.read_text(), flags=re.MULTILINE)
            for name, head in functions(text):
                if WITH_NAMES.search(head):
                    with_names.add(name)
                elif WITHOUT.search(head):
                    without.setdefault(name, path.name)
    lines = [f"{without[name]}: {name} takes no array with names: give it array_argument or "
             "has_array, an overload in labelled/, or a reason in names.py"
             for name in sorted(without.keys() - with_names - known)]
    lines += [f"names.py: {name} takes arrays with names and has a reason to take none"
              for name in sorted(with_names & known)]
    return lines if without and with_names else ["there is no function"]


if __name__ == "__main__":
    lines = problems(sys.argv[1])
    print("\n".join(lines) or "every function takes arrays with names, or says why not")
    sys.exit(1 if lines else 0)
