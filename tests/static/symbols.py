# SPDX-License-Identifier: Apache-2.0
"""Checks that a program has the same types in its interface as the library, whatever machine it is
compiled for and however Eigen is configured or its namespace spelled in it.

usage: symbols.py <nm> <library> <compiler> <file of flags> <source>
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# How else a program may be compiled than the library.
SPELLINGS = {
    "for this machine": ["-march=native"],
    "without vectors": ["-march=x86-64", "-DEIGEN_DONT_VECTORIZE", "-DEIGEN_MAX_ALIGN_BYTES=0"],
    "with a namespace of its own for Eigen": ["-DEigen=eigen_of_the_program"],
}
# Types that are another's in whatever namespace that is.
FOREIGN = re.compile(r"eigen|\b(half|_Float16|__fp16)\b", re.IGNORECASE)
FLOAT16 = "tessera::float16"
# What a program that is compiled for wider vectors than the library has itself, and what it takes
# for that.
OF_WIDER_VECTORS = ("tessera::detail::known_fold<", "tessera::detail::take_each_product_of_",
                    "tessera::detail::take_layers_of_products_of_")


def compiled(compiler, flags, source, spelling, folder):
    """Returns the object of a source, with more flags."""
    result = pathlib.Path(folder, "program.o")
    subprocess.run([compiler, f"@{flags}", "-O0", *spelling, "-c", source, "-o", result],
                   check=True)
    return result


def symbols(nm, file, kind):
    """Returns the global symbols of tessera in a file, each with its C++ name; `kind` is
    "--defined-only" or "--undefined-only"."""
    def names(*options):
        command = [nm, "--extern-only", "--no-sort", "--quiet", kind, "--format=just-symbols",
                   *options, file]
        lines = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        return [line for line in lines.splitlines() if line]
    return {mangled: plain for mangled, plain in zip(names(), names("--demangle"))
            if "tessera" in mangled}


def problems(library, programs):
    """Returns what is wrong with what some programs share with a library: `programs` has for each
    what it takes and what it has itself, of which a linker keeps one where the library has it."""
    found = []
    for name, (taken, own) in programs.items():
        found += [f"{name}: takes {plain}, which the library has not"
                  for mangled, plain in taken.items() if mangled not in library]
        shared = list(taken.values()) + [own[both] for both in own.keys() & library.keys()]
        found += [f"{name}: shares {plain}, which names a type that is not tessera's"
                  for plain in shared if FOREIGN.search(plain)]
        if not any(FLOAT16 in plain for plain in shared):
            found.append(f"{name}: shares nothing of {FLOAT16}")
    (first, (expected, _)), *others = programs.items()
    for name, (taken, _) in others:
        found += [f"{first} and {name}: only one of them takes {symbol}"
                  for symbol in expected.keys() ^ taken.keys()
                  if not any(name in (expected | taken)[symbol] for name in OF_WIDER_VECTORS)]
    return sorted(found)


def main(nm, library, compiler, flags, source):
    programs = {}
    for name, spelling in SPELLINGS.items():
        with tempfile.TemporaryDirectory() as folder:
            program = compiled(compiler, flags, source, spelling, folder)
            programs[name] = [symbols(nm, program, kind)
                              for kind in ("--undefined-only", "--defined-only")]
    lines = problems(symbols(nm, library, "--defined-only"), programs)
    taken, _ = next(iter(programs.values()))
    print("\n".join(lines) or f"each program takes the same {len(taken)} symbols of the library")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
