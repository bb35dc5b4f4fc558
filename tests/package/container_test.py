# SPDX-License-Identifier: Apache-2.0
"""Checks the recipe of a container image, on the Debian of the image, against the build and its program.

The image itself is built by hand before a release.

usage: container_test.py <sources> <program>
"""

import pathlib
import re
import subprocess
import sys
import unittest

SOURCES, PROGRAM = map(pathlib.Path, sys.argv[1:])
RECIPE = SOURCES / "cmake/packages/Containerfile"
# Each Debian has them, or they come with any program in C++.
BASE = {"libc6", "libgcc-s1", "libstdc++6"}


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def instructions():
    """Returns the instructions of the recipe: pairs of a word and its arguments."""
    text = re.sub(r"(?m)^#.*\n", "", RECIPE.read_text(encoding="utf-8")).replace("\\\n", "")
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line.strip()]


def arguments_of(word):
    return [arguments for name, arguments in instructions() if name == word]


def packages():
    """Returns the packages that the last stage installs."""
    install = next(run for run in arguments_of("RUN") if run.startswith("apt-get"))
    words = re.search(r"apt-get install (.*?) &&", install)[1].split()
    return {word for word in words if not word.startswith("--")}


def package_of(library):
    """Returns the package of a shared library, which may be listed under either name of /lib."""
    path = str(pathlib.Path(library).resolve())
    for name in (path, path.removeprefix("/usr")):
        listed = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            return listed.stdout.split(":")[0]
    raise LookupError(library)


class Container(unittest.TestCase):
    def test_stages_are_this_debian(self):
        release = re.search(r"(?m)^VERSION_ID=\"?(\d+)", pathlib.Path("/etc/os-release").read_text())[1]
        images = [arguments.split()[0] for arguments in arguments_of("FROM")]
        debian = f"docker.io/library/debian:{release}"
        self.assertEqual(images, [debian, f"{debian}-slim"])

    def test_options_and_files_are_there(self):
        options = (SOURCES / "cmake/tessera_options.cmake").read_text()
        run = " ".join(arguments_of("RUN"))
        used = re.findall(r"-D (TESSERA_\w+)=", run)
        self.assertTrue(used)
        for name in used:
            self.assertRegex(options, rf"(?m)^(option|set)\({name} ")
        for arguments in arguments_of("COPY"):
            if not arguments.startswith("--from="):
                self.assertTrue((SOURCES / arguments.split()[0]).exists(), arguments)
        target = re.search(r"--target (\w+)", run)[1]
        self.assertEqual(target, PROGRAM.name)
        self.assertIn(f"COPY --from=build /build/examples/{target} /usr/local/bin/{target}", RECIPE.read_text())
        self.assertEqual(arguments_of("ENTRYPOINT"), [f'["/usr/local/bin/{target}"]'])

    def test_has_the_libraries_of_the_program(self):
        needed = set(re.findall(r"NEEDED\s+(\S+)", output_of("objdump", "-p", PROGRAM)))
        paths = dict(re.findall(r"(\S+) => (/\S+)", output_of("ldd", PROGRAM)))
        used = {package_of(paths[library]) for library in needed if library in paths}
        # OpenBLAS is loaded by programs that multiply matrices.
        self.assertEqual(packages(), used - BASE | {"ca-certificates", "libopenblas0-pthread"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
