// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>
#include <tessera/tessera.hpp>

namespace ts = tessera;

namespace {

/// Tells whether this program has a component: an engine or a store. An engine that finds nothing
/// to run on may refuse to be made.
bool has_component(const std::string& name) {
  if (name == "http") return ts::open_store("http://127.0.0.1/a")->name() == "http://127.0.0.1/a";
  if (name == "s3") {
    return ts::open_store("s3+http://127.0.0.1/abc")->name() == "s3+http://127.0.0.1/abc";
  }
  try {
    (void)ts::make_executor(name);
  } catch (const std::exception& error) {
    return std::string(error.what()).find("is not part of this program") == std::string::npos;
  }
  return true;
}

/// A function of the program's own, with a kernel that only the program knows.
struct shifted {
  double operator()(double x) const { return x + 1; }
};

/// Computes a sum on an engine. Other processes find the program's kernels by name.
double sum_on(const std::string& engine) {
  const ts::spec spec{.work_dir = "consumer-work"};
  const auto x = ts::arange<double>(10.0, {.chunks = {4}, .spec = spec});
  return ts::sum(ts::map(shifted{}, x * x)).compute({.executor = ts::make_executor(engine)});
}

/// Tells whether an error of the library is caught as a `ts::error`.
bool catches_errors() {
  try {
    (void)ts::open<double, 1>("there-is-no-such-array.zarr");
  } catch (const ts::error&) {
    return true;
  }
  return false;
}

}  // namespace

/// The arguments name the components that the program was linked with.
int main(int argc, char** argv) try {
  const ts::runtime runtime{argc, argv};
  for (int i = 1; i < argc; ++i) {
    if (!has_component(argv[i])) {
      std::printf("the component %s is missing\n", argv[i]);
      return 1;
    }
  }
  for (const char* engine : {"threads:2", "processes:2"}) {
    const double sum = sum_on(engine);
    if (sum != 295.0) {  // 1 + 2 + 5 + ... + 82
      std::printf("the sum on %s is %g\n", engine, sum);
      return 1;
    }
  }
  if (!catches_errors()) return 1;
} catch (const std::exception& failure) {
  std::printf("%s\n", failure.what());
  return 1;
}
