// SPDX-License-Identifier: Apache-2.0
// The loading of OpenBLAS, and its number of threads.
#include "tessera/tessera.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>
#include <string>

namespace tessera {
namespace {

bool is_openblas_loaded() {
  std::ifstream maps("/proc/self/maps");
  const std::string text(std::istreambuf_iterator<char>(maps), {});
  return text.find("libopenblas") != std::string::npos;
}

std::ptrdiff_t num_threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// Prints each wrong value, and ends the process.
[[noreturn]] void multiply_alone() {
  const run_with serial{.executor = executors::serial()};
  const auto x = ones<double>({64, 64});
  bool is_right = sum(x).compute(serial)() == 64 * 64;
  const std::ptrdiff_t threads_before = num_threads();
  if (is_openblas_loaded()) {
    std::cerr << "OpenBLAS is loaded without a product\n";
    is_right = false;
  }
  if (matmul(x, x).compute(serial)(3, 5) != 64 || inv(eye<double>(3)).compute(serial)(1, 1) != 1) {
    std::cerr << "a product is wrong\n";
    is_right = false;
  }
  if (!is_openblas_loaded()) {
    std::cerr << "OpenBLAS is not loaded\n";
    is_right = false;
  }
  if (num_threads() != threads_before) {
    std::cerr << num_threads() << " threads, " << threads_before << " before the product\n";
    is_right = false;
  }
  std::exit(is_right ? EXIT_SUCCESS : EXIT_FAILURE);
}

// In a process of its own, as other tests multiply too.
TEST(OpenBlas, IsLoadedByTheFirstProductWithoutThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("OPENBLAS_NUM_THREADS", "4", 1);
  EXPECT_EXIT(multiply_alone(), testing::ExitedWithCode(EXIT_SUCCESS), "");
  unsetenv("OPENBLAS_NUM_THREADS");
}

}  // namespace
}  // namespace tessera
