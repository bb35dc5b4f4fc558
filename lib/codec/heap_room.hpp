// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Heap memory for a library that allocates aligned buffers and does not check the result.
///
/// glibc before 2.39 cuts an aligned buffer out of a larger piece. The remainder of 32 to 80 bytes
/// goes into the thread's cache, and pieces of the cache are never merged (glibc bug 30723). After
/// `free` the hole is too small for the next buffer of the same size, so that the heap grows with
/// most calls. If the cache is full, the remainder is merged with its hole. `heap_room` therefore
/// fills the cache while the library runs.

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace tessera::detail {

/// Whether the C library has the bug.
#if defined(__GLIBC__) && !__GLIBC_PREREQ(2, 39)
constexpr bool cache_must_be_full = true;
#else
constexpr bool cache_must_be_full = false;
#endif

/// Pieces of the heap of 32, 48, 64 and 80 bytes, as many of each size as a thread's cache takes.
class cached_pieces {
 public:
  cached_pieces() { take_back(); }
  ~cached_pieces() { lend(); }
  cached_pieces(const cached_pieces&) = delete;
  cached_pieces& operator=(const cached_pieces&) = delete;

  /// Puts the pieces into the calling thread's cache of free pieces.
  void lend() {
    for (void* const piece : pieces_) std::free(piece);
  }
  /// Takes the pieces out of the cache.
  void take_back() {
    constexpr std::size_t header = 8;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      pieces_[i] = std::malloc(32 + i / cached * 16 - header);
    }
  }

 private:
  static constexpr std::size_t cached = 7;  // of each size: glibc's default
  std::array<void*, 4 * cached> pieces_;
};

/// While an object is alive, each call of the library gets its buffers from the same piece of heap.
///
/// Complexity: 56 calls of the allocator, about 0.3 microseconds, at most once in 64 KiB of
/// buffers.
class heap_room {
 public:
  /// For buffers of `size` bytes in sum.
  ///
  /// Throws: std::bad_alloc <- the heap has no room for them.
  explicit heap_room(std::size_t size) : is_kept_whole_(is_due(size)) {
    constexpr std::size_t most_left_over = 80;
    void* const room = std::malloc(size + most_left_over);
    if (room == nullptr) throw std::bad_alloc();
    asm volatile("" : : "r"(room) : "memory");  // else the compiler removes both calls
    std::free(room);
    if (is_kept_whole_) pieces().lend();
  }
  ~heap_room() {
    if (is_kept_whole_) pieces().take_back();
  }
  heap_room(const heap_room&) = delete;
  heap_room& operator=(const heap_room&) = delete;

 private:
  static bool is_due(std::size_t size) {
    constexpr std::size_t seldom = 64 * 1024;
    thread_local std::size_t since = seldom;
    since += size;
    if (!cache_must_be_full || since < seldom) return false;
    since = 0;
    return true;
  }

  static cached_pieces& pieces() {
    thread_local cached_pieces of_thread;
    return of_thread;
  }

  bool is_kept_whole_;
};

}  // namespace tessera::detail
