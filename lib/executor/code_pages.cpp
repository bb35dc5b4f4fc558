// SPDX-License-Identifier: Apache-2.0
#include "executor/code_pages.hpp"

#include "core/api/resident_library.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace tessera {

namespace {

/// Tells whether `address` is in a loaded segment of an object.
bool holds(const dl_phdr_info& object, std::uintptr_t address) {
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const std::uintptr_t start = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address - start < segment.p_memsz) {
      return true;
    }
  }
  return false;
}

/// Kernels before 5.14 have no MADV_POPULATE_READ. A failure only makes the measure less exact.
void map_segment(const dl_phdr_info& object, const ElfW(Phdr) & segment) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t start = (object.dlpi_addr + segment.p_vaddr) / page * page;
  const std::uintptr_t end = object.dlpi_addr + segment.p_vaddr + segment.p_filesz;
  // A loaded segment is mapped in this process.
  void* const memory = reinterpret_cast<void*>(start);  // NOLINT(performance-no-int-to-ptr)
  (void)madvise(memory, end - start, MADV_POPULATE_READ);
}

int map_object(dl_phdr_info* object, std::size_t /*size*/, void* libraries) {
  const auto this_object = reinterpret_cast<std::uintptr_t>(&map_code);
  const bool is_resident = std::ranges::any_of(
      *static_cast<const std::vector<resident_library>*>(libraries),
      [&](const resident_library& library) { return holds(*object, library.address()); });
  if (is_resident && !holds(*object, this_object)) return 0;
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD) map_segment(*object, segment);
  }
  return 0;
}

}  // namespace

void map_code() {
  [[maybe_unused]] static const int mapped = [] {
    std::vector<resident_library> libraries = resident_libraries();
    return dl_iterate_phdr(map_object, &libraries);
  }();
}

}  // namespace tessera
