// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Memory that processes of one host share.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tessera {

/// Memory that processes of one host share: a file that is nowhere but in memory.
///
/// The file is in no folder. It is gone when the last process that has it open or mapped has ended,
/// by a signal as well. No size of a file system limits it, as the size of /dev/shm does in
/// containers. Its pages belong to the host, not to a process that maps them.
///
/// Threads: all members may be called from several threads.
class shared_pages {
 public:
  /// Makes `size` bytes, of which none takes memory yet.
  ///
  /// Throws: memory_error <- the system refuses, or they are more than a file may have
  /// (RLIMIT_FSIZE).
  explicit shared_pages(std::uint64_t size);

  /// Opens those of another process of this host, by its `name()`.
  ///
  /// Throws: memory_error <- they are gone, or that process lets this one not see its files.
  explicit shared_pages(const std::string& name);

  /// Returns the name by which processes of the same user open the file, while this process has it
  /// open: "/proc/1234/fd/5".
  [[nodiscard]] std::string name() const;

  /// Takes memory for `size` bytes from `offset` on, a multiple of a page, and maps them: zeros.
  /// Whole pages are taken. When the last user of the pointer is gone, the memory is given back,
  /// even if other processes have it mapped: these find zeros there. But if this process was forked
  /// after `map_alone`, the child may use it. Then it is given back when no process has the file
  /// open or mapped any more. The pages need no descriptor.
  ///
  /// Throws: memory_error <- the system refuses, which it does beyond limits of addresses
  /// (RLIMIT_AS), and if it promises no more memory than it has (vm.overcommit_memory = 2). No page
  /// is taken then. Otherwise the system does not refuse: it ends processes when memory is short.
  [[nodiscard]] std::shared_ptr<std::byte[]> take(std::uint64_t offset, std::size_t size) const;

  /// Maps `size` bytes from `offset` on that somebody has taken.
  ///
  /// Throws: memory_error <- the system refuses.
  [[nodiscard]] std::shared_ptr<std::byte[]> map(std::uint64_t offset, std::size_t size) const;

  /// Maps the pages as they are now, copy on write: no other process but forked children sees the
  /// writes. Requires that no process writes to the file any more.
  ///
  /// Throws: memory_error <- the system refuses.
  [[nodiscard]] std::shared_ptr<std::byte[]> map_alone(std::uint64_t offset,
                                                       std::size_t size) const;

 private:
  class account;
  class file;
  class mapping;

  std::shared_ptr<const file> file_;
};

/// Returns how many bytes this process has taken of all shared pages and not given back, whether it
/// has touched them or not.
[[nodiscard]] std::uint64_t shared_pages_taken();

/// Tells whether this process could open the shared pages of another one, `process`.
[[nodiscard]] bool reaches_pages_of(int process);

}  // namespace tessera
