# SPDX-License-Identifier: Apache-2.0
"""Compares the functions of the Python Array API standard on random input: Tessera's by the module
beside this file, and those of array-api-strict, which is NumPy's under the standard's rules.

usage: compare.py <program array_api_serve> <folder for what PyPI has> [seed]
"""

import importlib
import inspect
import math
import os
import pathlib
import random
import subprocess
import sys

STRICT = "array-api-strict==2.4.1"  # works with the NumPy of Debian 12
ROUNDS = 6
SKIPPED = 77  # CTest's code for "not run", as without a network

# Reasons for which functions are not compared.
NOT_COMPARED = {
    "empty empty_like": "elements are anything",
    "finfo iinfo isdtype": "constants of the module, no function of Tessera",
    "unique_all unique_counts unique_inverse unique_values": "compared sorted, by `sets`",
    "asarray": "every comparison begins with it",
}


def install(folder):
    """Makes array-api-strict importable, from PyPI if the folder does not have it yet."""
    sys.path.insert(0, folder)
    try:
        import array_api_strict  # noqa: F401
        return
    except ImportError:
        pass
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder,
               "--disable-pip-version-check", "--root-user-action=ignore", STRICT]
    if subprocess.run(command).returncode != 0:
        print(f"not compared: {STRICT} cannot be installed into {folder}: PyPI is not reached, or "
              f"pip is missing (Debian: python3-pip). Install it by: {' '.join(command)}")
        sys.exit(SKIPPED)
    importlib.invalidate_caches()  # the folder was not there


install(sys.argv[2])
os.environ["TESSERA_ARRAY_API_SERVE"] = sys.argv[1]
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import array_api_strict as strict  # noqa: E402
import numpy as np  # noqa: E402
import tessera_array_api as tessera  # noqa: E402

SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(2**32)
rng = np.random.default_rng(SEED)

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
REAL = INTS + FLOATS
NUMERIC = REAL + COMPLEX
ALL = ["bool"] + NUMERIC


def shape(least=0, most=3, smallest=1):
    return tuple(int(n) for n in rng.integers(smallest, 6, size=rng.integers(least, most + 1)))


def values(dtype, of, low=-8, high=8):
    """Returns random elements: small numbers, of which sums and products are exact or harmless."""
    if dtype == "bool":
        return np.asarray(rng.random(of) < 0.5)
    if dtype in INTS:
        low = max(low, 0) if dtype[0] == "u" else low
        return np.asarray(rng.integers(low, high, size=of)).astype(dtype)
    x = rng.uniform(low, high, size=of)
    if dtype in COMPLEX:
        x = x + 1j * rng.uniform(low, high, size=of)
    return np.asarray(x).astype(dtype)


def any_of(choices):
    return choices[rng.integers(len(choices))]


def results_of(name, args, kwargs=None, module=None):
    """Returns the results of both libraries for the same arguments; arrays are given as NumPy's,
    dtypes as names behind "dtype"."""
    def argument_of(x, xp):
        if isinstance(x, np.ndarray):
            if xp is strict:
                return strict.asarray(x)
            return tessera.Array(getattr(tessera, x.dtype.name), x.shape, x.tobytes())
        if isinstance(x, str) and x.startswith("dtype "):
            return getattr(xp, x[6:])
        if isinstance(x, list):
            return [argument_of(item, xp) for item in x]
        return x

    def called(xp):
        space = getattr(xp, module) if module else xp
        given = {key: argument_of(x, xp) for key, x in (kwargs or {}).items()}
        return getattr(space, name)(*(argument_of(x, xp) for x in args), **given)

    with np.errstate(all="ignore"):
        return called(tessera), called(strict)


def arrays_of(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def as_numpy(x):
    if isinstance(x, tessera.Array):
        return np.frombuffer(x._data, dtype=x.dtype.name).reshape(x.shape)
    return np.asarray(x._array)


def differences(actual, expected, roundings, terms=None):
    """Returns the difference of two arrays, or None. Sums of `terms` have roundings of their size,
    also where they cancel."""
    if actual.dtype != expected.dtype:
        return f"dtype {actual.dtype} for {expected.dtype}"
    if actual.shape != expected.shape:
        return f"shape {actual.shape} for {expected.shape}"
    if actual.dtype.kind not in "fc":
        return None if np.array_equal(actual, expected) else f"{actual!r} for {expected!r}"
    eps = roundings * float(np.finfo(actual.dtype).eps)
    finite = np.abs(expected[np.isfinite(expected)])
    scale = float(finite.max()) if finite.size else 0.0
    if terms is not None:
        scale = max(scale, float(np.abs(terms).sum()))
    with np.errstate(all="ignore"):
        if np.allclose(actual, expected, rtol=eps, atol=eps * scale, equal_nan=True):
            return None
    return f"{actual!r} for {expected!r}"


FAILED = []
COMPARED = set()


def compare(name, *args, module=None, roundings=32, terms=None, prepare=lambda x: x,
            **kwargs):
    COMPARED.add((module or "") + ("." if module else "") + name)
    text = f"{name}({', '.join(map(repr, args))}, {kwargs})"
    try:
        actual, expected = results_of(name, args, kwargs, module)
    except Exception as e:  # a refusal is to be seen with its arguments
        FAILED.append(f"{text}: {type(e).__name__}: {e}")
        return
    actual, expected = prepare(arrays_of(actual)), prepare(arrays_of(expected))
    if len(actual) != len(expected):
        FAILED.append(f"{text}: {len(actual)} results for {len(expected)}")
        return
    for a, b in zip(actual, expected):
        wrong = differences(as_numpy(a), as_numpy(b), roundings, terms)
        if wrong:
            FAILED.append(f"{text}: {wrong}")


# ---- the functions, by their arguments

def unary(names, dtypes, low=-8, high=8):
    for name in names.split():
        for dtype in dtypes:
            compare(name, values(dtype, shape(), low, high))


def binary(names, dtypes, low=-8, high=8, low2=None):
    for name in names.split():
        for dtype in dtypes:
            of = shape()
            second = tuple(1 if rng.random() < 0.3 else n for n in of[rng.integers(len(of) + 1):])
            compare(name, values(dtype, of, low, high),
                    values(dtype, second, low if low2 is None else low2, high))


def elementwise():
    unary("abs negative positive square", NUMERIC)
    unary("sign", REAL)  # of complex numbers NumPy 1 has another one than the standard
    unary("expm1", FLOATS + COMPLEX, -2, 2)
    unary("log2 log1p", FLOATS + COMPLEX, 0.1, 8)
    unary("ceil floor trunc", REAL)
    unary("round", NUMERIC)
    unary("bitwise_invert", ["bool"] + INTS)
    unary("exp sin cos tan sinh cosh tanh asinh atan", FLOATS + COMPLEX, -2, 2)
    unary("log log10 sqrt", FLOATS + COMPLEX, 0.1, 8)
    unary("acos asin atanh", FLOATS, -0.9, 0.9)
    unary("acos asin atanh acosh", COMPLEX, -2, 2)
    unary("acosh", FLOATS, 1, 8)
    unary("reciprocal", FLOATS + COMPLEX, 0.1, 8)
    unary("isfinite isinf isnan", NUMERIC)
    unary("signbit", FLOATS)
    unary("real imag", COMPLEX)
    unary("conj", NUMERIC)
    unary("logical_not", ["bool"])
    binary("add subtract multiply", NUMERIC)
    binary("divide", FLOATS + COMPLEX, low2=1)
    binary("floor_divide remainder", REAL, low2=1)
    binary("pow", FLOATS, 0.5, 3)
    binary("pow", INTS, 0, 3)
    binary("maximum minimum less less_equal greater greater_equal", REAL)
    binary("equal not_equal", ALL)
    binary("bitwise_and bitwise_or bitwise_xor", ["bool"] + INTS)
    binary("bitwise_left_shift bitwise_right_shift", INTS, 0, 6)
    binary("logical_and logical_or logical_xor", ["bool"])
    binary("atan2 copysign hypot logaddexp nextafter", FLOATS)
    for dtype in REAL:
        x = values(dtype, shape())
        compare("clip", x, min=x.dtype.type(2).item(), max=x.dtype.type(5).item())
        compare("where", values("bool", x.shape), x, values(dtype, x.shape))
    for dtype in ALL:
        to = any_of(ALL if dtype not in COMPLEX else COMPLEX)
        compare("astype", values(dtype, shape(), 0, 100), f"dtype {to}")
    # Promotion within a kind, and beside Python's numbers.
    for names in (INTS[:4], INTS[4:], FLOATS, COMPLEX, INTS[:7]):
        a, b = any_of(names), any_of(names)
        compare("add", values(a, (3,)), values(b, (3,)))
    for dtype in REAL:
        compare("multiply", values(dtype, shape()), 3)


def creation():
    for dtype in ALL:
        of, name = shape(smallest=0), f"dtype {dtype}"
        x = values(dtype, of)
        compare("zeros", of, dtype=name)
        compare("ones", of, dtype=name)
        compare("full", of, x.dtype.type(1).item(), dtype=name)
        compare("zeros_like", x)
        compare("ones_like", x)
        compare("full_like", x, x.dtype.type(1).item())
        compare("eye", int(rng.integers(6)), int(rng.integers(6)), k=int(rng.integers(-3, 4)),
                dtype=name)
        m = values(dtype, shape(2, 4))
        k = int(rng.integers(-3, 4))
        compare("tril", m, k=k)
        compare("triu", m, k=k)
        lines = [values(dtype, (int(rng.integers(1, 5)),)) for _ in range(rng.integers(1, 4))]
        compare("meshgrid", *lines, indexing=any_of(["xy", "ij"]))
    for dtype in REAL:
        low = 0 if dtype[0] == "u" else -5
        compare("arange", low, int(rng.integers(20)), any_of([1, 2, 3]), dtype=f"dtype {dtype}")
    for dtype in FLOATS:
        compare("linspace", -1.5, 2.25, int(rng.integers(1, 20)), dtype=f"dtype {dtype}",
                endpoint=any_of([True, False]))


def manipulation():
    for dtype in ALL:
        of = shape(1, 4)
        x = values(dtype, of)
        rank = len(of)
        axis = int(rng.integers(-rank, rank))
        order = tuple(int(k) for k in rng.permutation(rank))
        compare("permute_dims", x, order)
        compare("moveaxis", x, axis, int(rng.integers(-rank, rank)))
        compare("flip", x, axis=any_of([None, axis]))
        compare("roll", x, int(rng.integers(-9, 9)), axis=any_of([None, axis]))
        compare("expand_dims", x, axis=int(rng.integers(-rank - 1, rank + 1)))
        compare("squeeze", x[None], 0)
        compare("reshape", x, (-1,))
        compare("reshape", x, tuple(reversed(of)))
        compare("concat", [x, values(dtype, of), x], axis=any_of([None, axis]))
        compare("stack", [x, values(dtype, of)], axis=axis)
        compare("unstack", x, axis=axis)
        compare("tile", x, tuple(int(n) for n in rng.integers(0, 3, size=rng.integers(1, 5))))
        compare("repeat", x, int(rng.integers(0, 4)), axis=any_of([None, axis]))
        compare("repeat", x, rng.integers(0, 4, size=of[axis]), axis=axis)
        compare("broadcast_to", x, (2, *of))
        compare("broadcast_arrays", x, values(dtype, of[-1:]))


def reductions():
    for dtype in NUMERIC:
        of = shape(1, 4)
        x = values(dtype, of, -2, 3)
        axes = tuple(int(k) for k in rng.permutation(len(of))[:rng.integers(1, len(of) + 1)])
        options = {"axis": any_of([None, axes, axes[0]]), "keepdims": any_of([True, False])}
        compare("sum", x, terms=x, **options)
        compare("prod", x, **options)
        axis_options = {"axis": any_of([None, axes[0]]), "keepdims": options["keepdims"]}
        if dtype in REAL:
            compare("max", x, **options)
            compare("min", x, **options)
            compare("argmax", x, **axis_options)
            compare("argmin", x, **axis_options)
        if dtype in FLOATS:
            compare("mean", x, terms=x, **options)
            compare("var", x, **options)
            compare("std", x, **options)
            compare("var", values(dtype, (3, 4)), axis=1, correction=1.5)
        compare("all", x, **options)
        compare("any", x, **options)
        compare("count_nonzero", x, **options)
        compare("cumulative_sum", x, terms=x, axis=axes[0],
                include_initial=any_of([True, False]))
        compare("cumulative_prod", x, axis=axes[0], include_initial=any_of([True, False]))
        compare("diff", x, terms=x, axis=axes[0], n=int(rng.integers(1, 3)))
    for dtype in FLOATS:
        compare("sum", values("int32", shape(1)), dtype=f"dtype {dtype}")


def sets():
    for dtype in ALL:
        x = values(dtype, shape(), -2, 3)
        for name in ("unique_values", "unique_counts", "unique_inverse", "unique_all"):
            actual, expected = results_of(name, (x,))
            for xp_results in (arrays_of(actual), arrays_of(expected)):
                parts = [as_numpy(part) for part in xp_results]
                distinct, counts = np.unique(x, return_counts=True)
                order = np.argsort(parts[0], kind="stable")
                wrong = not np.array_equal(parts[0][order], distinct)
                if name in ("unique_counts", "unique_all"):
                    wrong |= not np.array_equal(parts[-1][order], counts)
                if name == "unique_inverse":
                    wrong |= not np.array_equal(parts[0][parts[1]], x)
                if name == "unique_all":
                    wrong |= not np.array_equal(parts[0][parts[2]], x)
                    wrong |= not np.array_equal(x.reshape(-1)[parts[1]], parts[0])
                if wrong:
                    FAILED.append(f"{name}({x!r}): {parts}")


def searching():
    for dtype in REAL:
        of = shape(1, 4)
        x = values(dtype, of)
        axis = int(rng.integers(-len(of), len(of)))
        compare("sort", x, axis=axis, descending=any_of([True, False]))
        compare("argsort", x, axis=axis, descending=any_of([True, False]), stable=True)
        compare("searchsorted", np.sort(values(dtype, (7,))), x, side=any_of(["left", "right"]))
        indices = rng.integers(0, of[axis], size=4)
        compare("take", x, indices, axis=axis)
        along = list(of)
        along[axis] = 3
        compare("take_along_axis", x, rng.integers(0, of[axis], size=along), axis=axis)
    for dtype in ALL:
        compare("nonzero", values(dtype, shape(1, 4)))


def whole(dtype, of):
    """Returns random elements of which sums of products are exact, even if these are near 0."""
    x = values(dtype, of)
    return x if dtype in INTS else np.rint(x)


def products():
    for dtype in NUMERIC:
        m, k, n = (int(i) for i in rng.integers(1, 6, size=3))
        a, b = whole(dtype, (*shape(0, 2), m, k)), whole(dtype, (k, n))
        for module in (None, "linalg"):
            compare("matmul", a, b, module=module)
            compare("matmul", a, whole(dtype, (k,)), module=module)
            compare("tensordot", a, b, axes=1, module=module)
            compare("vecdot", whole(dtype, (n, k)), whole(dtype, (k,)), module=module)
            compare("matrix_transpose", a, module=module)
        compare("tensordot", whole(dtype, (m, n, k)), whole(dtype, (n, k, m)),
                axes=((1, 2), (0, 1)))
        compare("outer", whole(dtype, (m,)), whole(dtype, (n,)), module="linalg")
        compare("cross", whole(dtype, (m, 3)), whole(dtype, (m, 3)), module="linalg")
        compare("diagonal", a, offset=int(rng.integers(-2, 3)), module="linalg")
        compare("trace", a, offset=int(rng.integers(-2, 3)), module="linalg")


def magnitudes(results):
    """Returns the magnitudes of factors, which no choice of signs changes."""
    return [strict.abs(strict.asarray(as_numpy(result))) for result in results]


def matrices():
    for dtype in FLOATS + COMPLEX:
        n = int(rng.integers(1, 5))
        # Complex elements are up to 8 * sqrt(2) long, and the diagonal's are greater.
        square = values(dtype, (*shape(0, 2), n, n)) + 16 * n * np.eye(n, dtype=dtype)
        adjoint = np.conj(np.swapaxes(square, -1, -2))
        symmetric = (square + adjoint) / 2
        tall = values(dtype, (*shape(0, 1), n + 2, n))
        options = {"module": "linalg", "roundings": 2000}
        compare("cholesky", symmetric, upper=any_of([True, False]), **options)
        compare("det", square, **options)
        compare("slogdet", square, **options)
        compare("inv", square, **options)
        compare("solve", square, values(dtype, (*square.shape[:-1], 3)), **options)
        compare("eigvalsh", symmetric, **options)
        compare("eigh", symmetric, prepare=lambda factors: magnitudes(factors[:1]), **options)
        compare("qr", tall, prepare=magnitudes, **options)
        compare("svd", tall, full_matrices=False, prepare=lambda factors: magnitudes(factors[1:2]),
                **options)
        compare("svdvals", tall, **options)
        compare("pinv", tall, **options)
        compare("matrix_rank", tall, **options)
        compare("matrix_power", square / (16 * n), int(rng.integers(-2, 4)), **options)
        for order in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
            compare("matrix_norm", tall, ord=order, keepdims=any_of([True, False]), **options)
        for order in (0, 1, 2, 3.5, math.inf, -math.inf):
            compare("vector_norm", tall, ord=order, axis=any_of([None, -1, 0]), **options)


def transforms():
    for dtype in COMPLEX:
        x = values(dtype, shape(2, 3, 2))
        options = {"module": "fft", "norm": any_of(["backward", "ortho", "forward"])}
        n = {"n": any_of([None, 3, 8]), "axis": any_of([-1, 0])}
        for name in ("fft", "ifft", "irfft", "hfft"):
            compare(name, x, **n, **options)
        for name in ("fftn", "ifftn", "irfftn"):
            compare(name, x, **options)
            compare(name, x, axes=(0, 1), **options)
            compare(name, x, s=(4, 3), axes=(0, 1), **options)
        real = values("float32" if dtype == "complex64" else "float64", x.shape)
        for name in ("rfft", "ihfft"):
            compare(name, real, **n, **options)
        compare("rfftn", real, **options)
        compare("rfftn", real, s=(4, 3), axes=(0, 1), **options)
        compare("fftshift", x, module="fft")
        compare("ifftshift", x, axes=0, module="fft")
    compare("fftfreq", int(rng.integers(1, 20)), d=0.25, module="fft")
    compare("rfftfreq", int(rng.integers(1, 20)), d=0.25, module="fft")


def dtypes():
    for a in ALL:
        for b in ALL:
            try:
                expected = strict.result_type(getattr(strict, a), getattr(strict, b))
            except TypeError:
                continue  # kinds that the standard does not mix
            promoted = tessera.result_type(getattr(tessera, a), getattr(tessera, b))
            if promoted.name != expected._np_dtype.name:
                FAILED.append(f"result_type({a}, {b}): {promoted}")
    COMPARED.add("result_type")


def functions_of(module, prefix=""):
    return {prefix + name for name, member in vars(module).items()
            if inspect.isfunction(member) and not name.startswith("_")
            and member.__module__ == module.__name__}


def main():
    print(f"seed {SEED}")
    dtypes()
    for _ in range(ROUNDS):
        for part in (elementwise, creation, manipulation, reductions, sets, searching, products,
                     matrices, transforms):
            part()
    known = {name for names in NOT_COMPARED for name in names.split()}
    present = functions_of(tessera) | functions_of(tessera.linalg, "linalg.") | functions_of(
        tessera.fft, "fft.")
    missing = sorted(present - COMPARED - known)
    FAILED.extend(f"{name}: is not compared" for name in missing)
    for line in FAILED[:20]:
        print(line[:2000])
    print(f"{len(COMPARED)} functions compared in {ROUNDS} rounds, {len(FAILED)} differences")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
