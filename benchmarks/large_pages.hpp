// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Memory on large pages, for fewer page faults.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace hand_written {

/// Returns memory of at least `size` bytes on large pages, to be given back to `std::free`.
inline void* allocate_large(std::size_t size) {
  constexpr std::size_t page = std::size_t{2} << 20U;
  const std::size_t rounded = (size + page - 1) / page * page;
  void* memory = std::aligned_alloc(page, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  // Advice: if the system ignores it, pages are small.
  ::madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

/// An allocator on large pages, for vectors that are reused.
template <class T>
struct large_pages {
  using value_type = T;

  large_pages() = default;
  template <class U>
  large_pages(const large_pages<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_large(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  bool operator==(const large_pages&) const = default;
};

template <class T>
using buffer = std::vector<T, large_pages<T>>;

struct free_memory {
  void operator()(void* memory) const { std::free(memory); }
};

/// A result on untouched pages: the threads that write them allocate them.
template <class T>
using result_of = std::unique_ptr<T[], free_memory>;
using result = result_of<double>;

template <class T = double>
result_of<T> make_result(std::size_t count) {
  return result_of<T>(static_cast<T*>(allocate_large(count * sizeof(T))));
}

}  // namespace hand_written
