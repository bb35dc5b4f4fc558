# SPDX-License-Identifier: Apache-2.0
"""Checks that the header of forward declarations stays small after preprocessing, and that arrays
can be named with nothing else.

usage: forward_header.py <compiler> <file of flags> <header>
"""

import subprocess
import sys

MAX_LINES = 1000
# Names everything that does not need the definition of a type.
USER = """#include "{header}"
namespace ts = tessera;
ts::array<float, 3>* field = nullptr;
ts::ndarray<ts::float16, 1>& first(const ts::ndarray<bool, 2>& rows, ts::dtype type);
void run(const ts::spec& limits, const ts::run_with& how, ts::executor& engine, ts::resume_mode);
template <ts::element T> struct of_elements {{}};
of_elements<long>* longs = nullptr;
static_assert(!ts::element<char*>);
"""


def compiled(compiler, flags, source, *what):
    """Returns what the compiler makes of a source."""
    return subprocess.run([compiler, f"@{flags}", *what, "-x", "c++", "-"], input=source,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main(compiler, flags, header):
    lines = compiled(compiler, flags, f'#include "{header}"\n', "-E").stdout.count("\n")
    print(f"{lines} lines after preprocessing, at most {MAX_LINES} are allowed")
    user = compiled(compiler, flags, USER.format(header=header), "-fsyntax-only")
    print(user.stdout, end="")
    return 1 if user.returncode or not 0 < lines <= MAX_LINES else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
