# SPDX-License-Identifier: Apache-2.0
"""Compiles the C++ of the README and of the book as it is shown: all blocks as one translation unit, with
the umbrella header and those that the blocks include.

usage: code_test.py <source directory> <compiler> <file of flags>
"""

import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"```cpp\n(.*?)```", re.DOTALL)
INCLUDE = re.compile(r"(?m)^#include <.*>$")
HEADERS = """
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <mutex>
#include <omp.h>
#include <set>
#include <span>
#include <vector>
#include <tessera/tessera.hpp>
{headers}
namespace ts = tessera;
using namespace std::chrono_literals;
using namespace tessera::literals;
"""
# The variables that pages speak of. A block declares its own in a scope of theirs.
CONTEXT = """
  ts::array<float, 3> u = ts::zeros<float>({8, 4, 4}), anomaly = u;
  std::vector<ts::array<double, 2>> months;
  ts::array<double, 1> area = ts::zeros<double>({4});
  MPI_Comm comm = MPI_COMM_WORLD;
  std::span<const double> elements;
  std::array<ts::index_t, 3> shape{}, offset{};
  double t = 0;
"""


def translation_unit(blocks):
    """Returns the text of a program whose functions are the blocks; each line knows its page."""
    headers = dict.fromkeys(INCLUDE.findall("".join(code for _, _, code in blocks)))
    text = HEADERS.replace("{headers}", "\n".join(headers))
    for number, (page, line, code) in enumerate(blocks):
        code = re.sub(r"(?m)^namespace ts =.*$", "", INCLUDE.sub("", code))
        if "int main(" in code:
            code = code.replace("int main(", f"int program_{number}(")
            text += f'#line {line} "{page}"\n{code}'
        elif re.search(r"(?m)^(struct|class) ", code):
            text += f'namespace block_{number} {{\n#line {line} "{page}"\n{code}}}\n'
        else:
            text += (f"int block_{number}(int argc, char** argv) {{\n{CONTEXT}  {{\n"
                     f'#line {line} "{page}"\n{code}  }}\n  return 0;\n}}\n')
    return text


def blocks_of(page):
    """Returns the blocks of a page: page, number of the first line, code."""
    text = page.read_text(encoding="utf-8")
    return [(page, text.count("\n", 0, match.start(1)) + 1, match[1])
            for match in BLOCK.finditer(text)]


def main(root, compiler, flags_file):
    """Returns 0 if all blocks compile."""
    root = pathlib.Path(root)
    pages = [root / "README.md", *sorted((root / "examples/book").glob("*.md"))]
    blocks = [block for page in pages for block in blocks_of(page)]
    if len(blocks) < 12:
        sys.exit(f"only {len(blocks)} blocks are found")
    flags = pathlib.Path(flags_file).read_text(encoding="utf-8").split("\n")
    with tempfile.NamedTemporaryFile("w", suffix=".cpp", encoding="utf-8") as source:
        source.write(translation_unit(blocks))
        source.flush()
        return subprocess.run([compiler, *filter(None, flags), "-w", "-fsyntax-only", source.name],
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
