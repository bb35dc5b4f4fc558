# SPDX-License-Identifier: Apache-2.0
"""Tessera for Spack: `spack repo add cmake/packages/spack`, then `spack dev-build tessera@0.1.0` in
the sources."""

from spack.package import *


class Tessera(CMakePackage):
    """Typed, lazy programs over N-dimensional arrays larger than memory, with a memory bound."""

    maintainers("tessera")
    license("Apache-2.0")

    version("0.1.0")

    variant("shared", default=True, description="Build shared libraries")
    variant("mpi", default=True, description="Tasks on the ranks of MPI programs")
    variant("http", default=True, description="Stores on HTTP servers")
    variant("s3", default=False, when="+http", description="Stores in buckets of S3")
    variant("blas", default=True, description="Products and decompositions by OpenBLAS")
    variant("fftw", default=False, description="Fourier transforms by FFTW 3, of the GPL")
    variant("tools", default=True, description="The program tessera")
    variant("benchmark", default=False, description="Scaling studies")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("pkgconfig", type="build")

    # Programs include the headers of these.
    depends_on("boost@1.74: +graph", type=("build", "link"))
    depends_on("eigen@3.4:3.4.99", type=("build", "link"))

    for codec in ("c-blosc", "zlib-api", "zstd", "bzip2", "xz", "lz4", "xxhash"):
        depends_on(codec)
    depends_on("tbb")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3:", type="build")
    depends_on("random123", type="build")

    depends_on("mpi@3:", when="+mpi")
    depends_on("curl@7.87:", when="+http")
    depends_on("openssl@3:", when="+s3")
    depends_on("pugixml", when="+s3")
    depends_on("openblas", when="+blas")
    depends_on("fftw@3:", when="+fftw")
    depends_on("cli11@2:", when="+tools", type="build")
    depends_on("benchmark", when="+benchmark")

    conflicts("%gcc@:11", msg="Tessera needs C++20 of GCC 12")
    conflicts("%clang@:13", msg="Tessera needs C++20 of Clang 14")

    def cmake_args(self):
        return [
            self.define("TESSERA_TESTS", False),
            self.define("TESSERA_EXAMPLES", False),
            self.define("TESSERA_DOCUMENTATION", "OFF"),
            self.define("TESSERA_BENCHMARKS", False),
            self.define("TESSERA_NATIVE", False),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("TESSERA_MPI", "mpi"),
            self.define_from_variant("TESSERA_HTTP", "http"),
            self.define_from_variant("TESSERA_S3", "s3"),
            self.define_from_variant("TESSERA_BLAS", "blas"),
            self.define_from_variant("TESSERA_FFTW", "fftw"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_CLI11", self.spec.satisfies("~tools")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_benchmark", self.spec.satisfies("~benchmark")),
        ]
