// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// OpenBLAS, which is loaded when a function of it is first looked up, and the memory that it
/// takes.

#include "tessera/core/index.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera::detail {

/// Returns the function of OpenBLAS called `name`, or nullptr if there is none. The first call
/// loads the library, without threads of its own unless the program has loaded it before.
///
/// Throws: std::runtime_error <- the library cannot be loaded.
[[nodiscard]] void* find_in_openblas(const char* name);

/// Throws std::runtime_error: OpenBLAS has no function called `name`.
[[noreturn]] void throw_missing_function(const char* name);

/// Returns the function of OpenBLAS called `name`.
///
/// Throws: std::runtime_error <- the library cannot be loaded, or has no such function.
template <class Function>
[[nodiscard]] Function* function_of_openblas(const char* name) {
  void* const symbol = find_in_openblas(name);
  if (symbol == nullptr) throw_missing_function(name);
  return reinterpret_cast<Function*>(symbol);
}

/// Returns an address of the code of OpenBLAS, or 0 while it is not loaded.
[[nodiscard]] std::uintptr_t address_of_openblas();

/// Hold OpenBLAS at one thread from the first `hold_one_thread` to the last `release_one_thread`.
///
/// OpenBLAS has one number of threads for the process: the first call saves the number, the last
/// call restores it. Meanwhile, products of the program's own threads run on one thread, too.
void hold_one_thread();
void release_one_thread();

/// Holds OpenBLAS at one thread while any object of this class lives.
class single_thread_guard {
 public:
  single_thread_guard() { hold_one_thread(); }
  single_thread_guard(const single_thread_guard&) = delete;
  single_thread_guard& operator=(const single_thread_guard&) = delete;
  ~single_thread_guard() { release_one_thread(); }
};

/// Tells whether OpenBLAS has chosen kernels for a processor without AVX2; false if the library is
/// not OpenBLAS.
[[nodiscard]] bool are_kernels_narrow();

/// The longest steps of OpenBLAS's kernels (GEMM_P and GEMM_Q of its param.h).
inline constexpr index_t longest_column_step = 1024;
inline constexpr index_t longest_inner_step = 512;

/// The library's pages, its tables and the alignment of its two buffers.
inline constexpr std::size_t fixed_workspace = 1 << 20;

}  // namespace tessera::detail
