# SPDX-License-Identifier: Apache-2.0
"""Checks that programs with other compiler flags than the library link to the same symbols.

A library is compiled for all machines of an architecture, a program for one machine, perhaps with
Eigen in another configuration or namespace. A symbol in both must not depend on these flags: the
linker keeps one of its definitions. So no shared symbol names a type of Eigen or of the compiler, and
programs of all flags have the same undefined symbols of the library.

usage: symbols.py <nm> <library> <compiler> <file of flags> <source>
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Flags of programs, by a description for messages.
FLAGS_OF_PROGRAMS = {
    "for this machine": ["-march=native"],
    "without vectors": ["-march=x86-64", "-DEIGEN_DONT_VECTORIZE", "-DEIGEN_MAX_ALIGN_BYTES=0"],
    "with a namespace of its own for Eigen": ["-DEigen=eigen_of_the_program"],
}
# Types that depend on flags, in any namespace.
FOREIGN = re.compile(r"eigen|\b(half|_Float16|__fp16)\b", re.IGNORECASE)
FLOAT16 = "tessera::float16"
# The symbol of the version, by which the linker refuses a library of another version.
ABI = "tessera_abi_0_1"
# Prefixes of the symbols that depend on the width of vectors: a program for wider vectors than the
# library's defines folds of its own, from other functions of the library.
OF_WIDER_VECTORS = ("tessera::detail::known_fold<", "tessera::detail::take_each_product_of_",
                    "tessera::detail::take_layers_of_products_of_", "tessera::detail::takes_of_kernels(")


def compile_object(compiler, flags, source, added_flags, folder):
    """Returns the object of a source, compiled with the flags of a file and some more."""
    result = pathlib.Path(folder, "program.o")
    subprocess.run([compiler, f"@{flags}", "-O0", *added_flags, "-c", source, "-o", result],
                   check=True)
    return result


def symbols(nm, file, kind):
    """Returns the global symbols of tessera in a file, as a dictionary from mangled to C++ names.

    `kind` is "--defined-only" or "--undefined-only"."""
    def names(*options):
        command = [nm, "--extern-only", "--no-sort", "--quiet", kind, "--format=just-symbols",
                   *options, file]
        lines = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        return [line for line in lines.splitlines() if line]
    return {mangled: plain for mangled, plain in zip(names(), names("--demangle"))
            if "tessera" in mangled}


def problems(library, programs):
    """Returns a sentence for each fault of the symbols that programs share with a library.

    `library` has the defined symbols of the library, `programs` the undefined and the defined
    symbols of each program. Symbols that both define are shared, too."""
    faults = []
    for program, (undefined, defined) in programs.items():
        faults += [f"{program}: needs {name}, which the library does not define"
                   for mangled, name in undefined.items() if mangled not in library]
        shared = list(undefined.values()) + [defined[symbol]
                                             for symbol in defined.keys() & library.keys()]
        faults += [f"{program}: shares {name}, which names a type that is not tessera's"
                   for name in shared if FOREIGN.search(name)]
        if ABI not in undefined:
            faults.append(f"{program}: does not refer to {ABI}")
        if not any(FLOAT16 in name for name in shared):
            faults.append(f"{program}: shares no symbol of {FLOAT16}")
    (first, (expected, _)), *rest = programs.items()
    for program, (undefined, _) in rest:
        faults += [f"{first} and {program}: only one of them needs {symbol}"
                   for symbol in expected.keys() ^ undefined.keys()
                   if not any(prefix in (expected | undefined)[symbol]
                              for prefix in OF_WIDER_VECTORS)]
    return sorted(faults)


def main(nm, library, compiler, flags, source):
    programs = {}
    for description, added_flags in FLAGS_OF_PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder:
            program = compile_object(compiler, flags, source, added_flags, folder)
            programs[description] = [symbols(nm, program, kind)
                                     for kind in ("--undefined-only", "--defined-only")]
    lines = problems(symbols(nm, library, "--defined-only"), programs)
    undefined, _ = next(iter(programs.values()))
    print("\n".join(lines) or f"each program needs the same {len(undefined)} symbols of the library")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
