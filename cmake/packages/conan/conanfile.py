# SPDX-License-Identifier: Apache-2.0
"""Tessera for Conan 2: `conan create cmake/packages/conan`."""

import pathlib

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Tessera(ConanFile):
    name = "tessera"
    version = "0.1.0"
    license = "Apache-2.0"
    description = "Typed, lazy programs over N-dimensional arrays larger than memory, with a memory bound"
    topics = ("arrays", "zarr", "out-of-core", "hpc")
    settings = "os", "arch", "compiler", "build_type"
    package_type = "library"
    options = {"shared": [True, False], "mpi": [True, False], "http": [True, False],
               "s3": [True, False], "blas": [True, False]}
    # OpenMPI and OpenBLAS are those of the host, where they are wanted.
    default_options = {"shared": False, "mpi": False, "http": True, "s3": True, "blas": False}

    def export_sources(self):
        root = pathlib.Path(self.recipe_folder).parents[2]
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "cmake/*", "include/*", "lib/*",
                        ".github/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def requirements(self):
        for name in ("boost/1.83.0", "eigen/3.4.0"):
            self.requires(name, transitive_headers=True)
        for name in ("c-blosc/1.21.5", "zlib/[>=1.2.11 <2]", "zstd/1.5.5", "bzip2/1.0.8",
                     "xz_utils/5.4.5", "lz4/1.9.4", "xxhash/0.8.2", "onetbb/2021.10.0", "fmt/9.1.0",
                     "nlohmann_json/3.11.3", "random123/1.14.0"):
            self.requires(name)
        if self.options.http:
            self.requires("libcurl/[>=7.87 <9]")
        if self.options.s3:
            self.requires("openssl/[>=3 <4]")
            self.requires("pugixml/1.14")

    def layout(self):
        self.folders.root = "../../.."
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # The tree of the sources stays as it is.
        for name in ("TESTS", "EXAMPLES", "BENCHMARKS", "NATIVE"):
            toolchain.cache_variables[f"TESSERA_{name}"] = False
        toolchain.cache_variables["TESSERA_DOCUMENTATION"] = "OFF"
        for name in ("mpi", "http", "s3", "blas"):
            toolchain.cache_variables[f"TESSERA_{name.upper()}"] = (
                "ON" if self.options.get_safe(name) else "OFF")
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="tessera_package")

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder) / "licenses")

    def package_info(self):
        # Programs use the package's own tessera-config.cmake, which knows the components.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/tessera"]
