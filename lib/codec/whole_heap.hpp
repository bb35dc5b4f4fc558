// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Keeps the heap from growing with each call of a library that allocates at an alignment.

#include <cstddef>
#include <cstdlib>
#include <initializer_list>

namespace tessera::detail {

/// Fills the calling thread's cache of free pieces of 48, 64 and 80 bytes; called before a library
/// that takes its buffers, for `size` bytes of data, by posix_memalign.
///
/// glibc before 2.39 cuts such a buffer out of a greater piece of the heap and puts what is left of
/// it, one of these sizes, into the thread's cache, where nothing is merged (its bug 30723). The
/// hole that the buffer leaves is then too small for the next of the same size: a heap grew with
/// nearly each call. Where the cache is full, what is left goes back to its hole.
///
/// Complexity: 42 calls of the allocator, about 0.5 microseconds; where there are few bytes, not in
/// each call.
inline void keep_heap_whole([[maybe_unused]] std::size_t size) {
#if defined(__GLIBC__) && !__GLIBC_PREREQ(2, 39)
  constexpr std::size_t seldom = 64 * 1024;
  thread_local std::size_t since = seldom;
  since += size;
  if (since < seldom) return;
  since = 0;
  constexpr std::size_t cached = 7;  // of each size, as glibc is by default
  constexpr std::size_t header = 8;
  for (const std::size_t piece : {48UL, 64UL, 80UL}) {
    void* pieces[cached];
    for (void*& each : pieces) each = std::malloc(piece - header);
    asm volatile("" : : "r"(pieces) : "memory");  // else the compiler removes both loops
    for (void* const each : pieces) std::free(each);
  }
#endif
}

}  // namespace tessera::detail
