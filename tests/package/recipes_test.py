# SPDX-License-Identifier: Apache-2.0
"""Checks the recipes of Spack, Conan and vcpkg against the build that they run.

Spack and vcpkg are on no package registry, so that their recipes are not run by them here. The recipe
of Spack is executed with stand-ins for Spack's directives.

usage: recipes_test.py <sources>
"""

import json
import pathlib
import re
import sys
import unittest

SOURCES = pathlib.Path(sys.argv.pop())
PACKAGES = SOURCES / "cmake/packages"

# The names of the packages of a find_package: in Spack, in Conan, in vcpkg. Threads are the host's.
NAMES = {
    "Boost": ("boost", "boost", "boost-graph"), "Eigen3": ("eigen", "eigen", "eigen3"),
    "Random123": ("random123", "random123", "random123"), "blosc": ("c-blosc", "c-blosc", "blosc"),
    "ZLIB": ("zlib-api", "zlib", "zlib"), "zstd": ("zstd", "zstd", "zstd"),
    "BZip2": ("bzip2", "bzip2", "bzip2"), "LibLZMA": ("xz", "xz_utils", "liblzma"),
    "lz4": ("lz4", "lz4", "lz4"), "xxhash": ("xxhash", "xxhash", "xxhash"),
    "TBB": ("tbb", "onetbb", "tbb"), "fmt": ("fmt", "fmt", "fmt"),
    "nlohmann_json": ("nlohmann-json", "nlohmann_json", "nlohmann-json"),
    "CURL": ("curl", "libcurl", "curl"), "OpenSSL": ("openssl", "openssl", "openssl"),
    "pugixml": ("pugixml", "pugixml", "pugixml"),
    # Conan's packages take OpenBLAS and MPI from the host, and leave out the programs.
    "cblas": ("openblas", None, "openblas"), "MPI": ("mpi", None, "mpi"),
    "fftw": ("fftw", None, None), "benchmark": ("benchmark", None, None),
    "CLI11": ("cli11", None, "cli11"),
}


def text_of(path):
    return path.read_text(encoding="utf-8")


def project_version():
    return re.search(r"VERSION ([0-9.]+)", text_of(SOURCES / "CMakeLists.txt").split("project(")[1])[1]


def needed_packages():
    """Returns the packages that the build looks for."""
    lists = [SOURCES / "cmake/tessera_dependencies.cmake", SOURCES / "lib/tool/CMakeLists.txt"]
    names = {name for path in lists for name in re.findall(r"find_package\((\w+)", text_of(path))}
    return names - {"Threads"}


def build_options():
    """Returns the names of the options of the build."""
    return set(re.findall(r"^(?:option|set)\((\w+) ", text_of(SOURCES / "cmake/tessera_options.cmake"),
                          re.MULTILINE))


class SpackRecipe:
    """The directives of the recipe of Spack: versions, variants, packages, and its arguments for CMake."""

    def __init__(self):
        self.versions, self.variants, self.packages, self.defined = [], {}, [], {}
        ignored = lambda *_, **__: None
        base = type("CMakePackage", (), {
            "define": lambda _, name, value: self.defined.setdefault(name, value),
            "define_from_variant": lambda _, name, variant: self.defined.setdefault(
                name, self.variants[variant]),
            "spec": type("spec", (), {"satisfies": lambda _, variant: variant[1:] in self.variants})()})
        names = {"CMakePackage": base, "maintainers": ignored, "license": ignored, "conflicts": ignored,
                 "version": lambda number: self.versions.append(number),
                 "variant": lambda name, default, description, when="": self.variants.update(
                     {name: default}),
                 "depends_on": lambda name, when="", type=(): self.packages.append((name, when))}
        code = text_of(PACKAGES / "spack/packages/tessera/package.py")
        exec(code.replace("from spack.package import *", ""), names)  # pylint: disable=exec-used
        names["Tessera"]().cmake_args()


class Recipes(unittest.TestCase):
    """Each recipe builds this version, with packages and options that the build has."""

    def test_tables_have_each_package(self):
        self.assertEqual(needed_packages(), set(NAMES))

    def test_spack(self):
        recipe = SpackRecipe()
        self.assertEqual(recipe.versions, [project_version()])
        packages = {re.split(r"[@: ]", name)[0] for name, _ in recipe.packages}
        self.assertLessEqual({spack for spack, _, _ in NAMES.values()}, packages)
        used = {when.lstrip("+") for _, when in recipe.packages if when}
        self.assertLessEqual(used, set(recipe.variants))
        ours = {name for name in recipe.defined if not name.startswith("CMAKE_DISABLE")}
        self.assertLessEqual(ours, build_options())
        disabled = {name.removeprefix("CMAKE_DISABLE_FIND_PACKAGE_") for name in set(recipe.defined) - ours}
        self.assertLessEqual(disabled, set(NAMES))

    def test_conan(self):
        text = text_of(PACKAGES / "conan/conanfile.py")
        self.assertIn(f'version = "{project_version()}"', text)
        packages = set(re.findall(r'"([a-z0-9_-]+)/', text))
        self.assertLessEqual({conan for _, conan, _ in NAMES.values() if conan}, packages)

    def test_vcpkg(self):
        port = json.loads(text_of(PACKAGES / "vcpkg/vcpkg.json"))
        self.assertEqual(port["version-semver"], project_version())
        packages = [*port["dependencies"],
                    *(package for feature in port["features"].values() for package in feature["dependencies"])]
        names = {package if isinstance(package, str) else package["name"] for package in packages}
        self.assertLessEqual({vcpkg for _, _, vcpkg in NAMES.values() if vcpkg}, names)
        features = re.search(r"feature IN ITEMS ([a-z0-9 ]+)\)", text_of(PACKAGES / "vcpkg/portfile.cmake"))
        self.assertLessEqual({f"TESSERA_{name.upper()}" for name in features[1].split()}, build_options())
        self.assertEqual({*features[1].split(), "tools"}, set(port["features"]))
        self.assertLessEqual(set(port["default-features"]), set(port["features"]))


if __name__ == "__main__":
    unittest.main()
