# SPDX-License-Identifier: Apache-2.0
"""Tests compile_each.py: a header that lacks an include fails, whatever is precompiled.

usage: compile_each_test.py <compiler>
"""

import pathlib
import subprocess
import sys
import tempfile

HEADERS = {
    "base.hpp": "#pragma once\n#include <vector>\n",
    "with_base.hpp": '#pragma once\n#include "tessera/base.hpp"\ninline std::vector<int> f();\n',
    "through_others.hpp": '#pragma once\n#include "tessera/with_base.hpp"\ninline std::vector<int> g();\n',
    "without.hpp": "#pragma once\ninline std::vector<int> h();\n",
}


def said_of(compiler, folder, *names):
    """Returns the exit code and the output for some of the headers."""
    flags = folder / "flags.txt"
    flags.write_text(f"-std=c++20 -I{folder}/include")
    headers = folder / "include" / "tessera"
    headers.mkdir(parents=True, exist_ok=True)
    for header in headers.iterdir():
        header.unlink()
    for name in ("base.hpp", *names):
        (headers / name).write_text(HEADERS[name])
    script = pathlib.Path(__file__).with_name("compile_each.py")
    run = subprocess.run([sys.executable, "-B", script, compiler, flags, "=tessera/base.hpp", headers],
                         capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


def main(compiler):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code, output = said_of(compiler, folder, "with_base.hpp", "through_others.hpp")
        assert (code, output) == (0, "3 files compile without a word\n"), output
        code, output = said_of(compiler, folder, "with_base.hpp", "without.hpp")
        assert code == 1 and "without.hpp" in output and "with_base.hpp" not in output, output


if __name__ == "__main__":
    main(*sys.argv[1:])
