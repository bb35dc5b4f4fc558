// SPDX-License-Identifier: Apache-2.0
#include "executor/build_id.hpp"

#include "executor/unfit_worker.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <iterator>
#include <link.h>
#include <span>

namespace tessera {

namespace {

constexpr std::string_view gnu_name{"GNU", 4};

std::size_t aligned(std::size_t size) { return (size + 3) / 4 * 4; }

/// Appends the identifier in a segment of notes. A note is a header, a name and a content.
void add_identifier(std::span<const char> notes, std::string& digits) {
  ElfW(Nhdr) note{};
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t begin = sizeof note + aligned(note.n_namesz);
    const std::size_t end = begin + aligned(note.n_descsz);
    if (end > notes.size()) return;
    const std::string_view name(notes.data() + sizeof note, note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && name == gnu_name) {
      for (const char byte : notes.subspan(begin, note.n_descsz)) {
        fmt::format_to(std::back_inserter(digits), "{:02x}", static_cast<unsigned char>(byte));
      }
      return;
    }
    notes = notes.subspan(end);
  }
}

/// Tells whether the code of this function's library is in an object.
bool holds_library(std::span<const ElfW(Phdr)> segments, std::uintptr_t base) {
  const auto here = reinterpret_cast<std::uintptr_t>(&build_id) - base;
  return std::ranges::any_of(segments, [here](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD && here - segment.p_vaddr < segment.p_memsz;
  });
}

/// Appends the identifier of the program, which is the first object, and of this library.
int add_object(dl_phdr_info* object, std::size_t /*size*/, void* digits) {
  const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
  const bool is_program = object->dlpi_name == nullptr || *object->dlpi_name == '\0';
  const bool is_last = holds_library(segments, object->dlpi_addr);
  if (!is_program && !is_last) return 0;
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_NOTE) continue;
    // A segment of notes is mapped in this process.
    const auto* const notes = reinterpret_cast<const char*>(  // NOLINT(performance-no-int-to-ptr)
        object->dlpi_addr + segment.p_vaddr);
    add_identifier({notes, segment.p_memsz}, *static_cast<std::string*>(digits));
  }
  return is_last ? 1 : 0;
}

}  // namespace

std::string build_id() {
  std::string digits;
  dl_iterate_phdr(add_object, &digits);
  return digits;
}

void require_build(std::string_view driver) {
  const std::string present = build_id();
  if (driver == present) return;
  throw unfit_worker(
      fmt::format("this program is another build ({}) than the program that started the run ({})",
                  present, driver));
}

}  // namespace tessera
