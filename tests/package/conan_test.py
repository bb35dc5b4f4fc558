# SPDX-License-Identifier: Apache-2.0
"""Tries the recipe for Conan without a network: the host's packages stand for those of Conan's registry.

The recipe is exported, its graph is resolved with all options, CMake configures the sources by its
toolchain, and a build is packaged, which a program finds and links. Conan compiles nothing here.

usage: conan_test.py <conan> <sources> <build> <C++ compiler>
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

OPTIONS = ("shared", "mpi", "http", "s3", "blas")


def required_by(recipe):
    """Returns the names and versions that a recipe requires, of a range the least one."""
    pairs = re.findall(r'"([a-z0-9_-]+)/(?:\[>=)?([0-9.]+)[^"]*"', recipe.read_text(encoding="utf-8"))
    assert len(pairs) > 10, f"{recipe} requires too little: {pairs}"
    return pairs


class Session:
    """Conan in a home of its own, with a profile of the host's packages."""

    def __init__(self, conan, folder, requirements):
        self.conan, self.folder = conan, folder
        self.environment = {**os.environ, "CONAN_HOME": str(folder / "home")}
        self.run("profile", "detect")
        self.profile = folder / "host"
        packages = "\n".join(f"{name}/{version}" for name, version in requirements)
        self.profile.write_text("include(default)\n[settings]\ncompiler.cppstd=20\n"
                                f"[platform_requires]\n{packages}\n", encoding="utf-8")

    def run(self, *arguments):
        """Returns the output of a command of Conan, which must succeed."""
        done = subprocess.run([self.conan, *map(str, arguments)], env=self.environment, text=True,
                              cwd=self.folder, capture_output=True, check=False)
        assert done.returncode == 0, f"conan {arguments}\n{done.stdout}{done.stderr}"
        return done.stdout

    def run_offline(self, *arguments):
        return self.run(*arguments, "--profile:all", self.profile, "--no-remote")


def run(*command):
    """Returns the output of a command that must succeed."""
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def check_graph(session, recipe, requirements):
    """All options together require all packages."""
    options = [part for name in OPTIONS for part in ("--options", f"&:{name}=True")]
    text = session.run_offline("graph", "info", recipe, *options, "--format", "json")
    nodes = json.loads(text)["graph"]["nodes"].values()
    names = {node["ref"].split("/")[0] for node in nodes}
    assert names == {"tessera", *(name for name, _ in requirements)}, names


def check_toolchain(session, recipe, sources, folder, compiler):
    """CMake configures the sources by the toolchain and the variables that the recipe writes."""
    session.run_offline("install", recipe, "--output-folder", folder / "local")
    (presets,) = (folder / "local").rglob("CMakePresets.json")
    preset = json.loads(presets.read_text(encoding="utf-8"))["configurePresets"][0]
    build = folder / "configured"
    run("cmake", "-S", sources, "-B", build, f"-DCMAKE_TOOLCHAIN_FILE={presets.parent}/conan_toolchain.cmake",
        f"-DCMAKE_CXX_COMPILER={compiler}",
        *(f"-D{name}={value}" for name, value in preset["cacheVariables"].items()))
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    for name, value in (("TESTS", "OFF"), ("EXAMPLES", "OFF"), ("MPI", "OFF"), ("S3", "ON")):
        assert re.search(f"^TESSERA_{name}:[A-Z]+={value}$", cache, re.MULTILINE), name


def check_package(session, recipe, sources, built, folder, compiler):
    """A program finds the package that the recipe makes of a build, and links it."""
    (folder / "builds").mkdir()
    (folder / "builds" / "Release").symlink_to(built)
    session.run_offline("export-pkg", recipe, "--output-folder", folder / "exported",
                        "--conf", f"tools.cmake.cmake_layout:build_folder={folder}/builds")
    session.run_offline("install", "--requires", "tessera/0.1.0", "--generator", "CMakeToolchain",
                        "--output-folder", folder / "consumer")
    (toolchain,) = (folder / "consumer").rglob("conan_toolchain.cmake")
    build = folder / "wind"
    run("cmake", "-S", sources / "examples/project/package", "-B", build, "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", f"-DCMAKE_CXX_COMPILER={compiler}")
    run("cmake", "--build", build)
    assert run(build / "wind") == "5.0\n"


def main(conan, sources, built, compiler):
    """Tries the recipe of the sources."""
    sources = pathlib.Path(sources)
    recipe = sources / "cmake/packages/conan"
    requirements = required_by(recipe / "conanfile.py")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        session = Session(conan, folder, requirements)
        check_graph(session, recipe, requirements)
        check_toolchain(session, recipe, sources, folder, compiler)
        check_package(session, recipe, sources, pathlib.Path(built), folder, compiler)


if __name__ == "__main__":
    main(*sys.argv[1:])
