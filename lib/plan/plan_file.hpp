// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Plan files: a text and elements, under a checksum.
///
/// ```
/// tessera-plan <version>\n
/// <bytes of text> <bytes of elements>\n
/// <text><zeros up to a multiple of 64 bytes><elements><checksum: 32 hexadecimal digits>\n
/// ```
/// The checksum is XXH3 of 128 bits over all preceding bytes.

#include "plan/array_json.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// The contents of a plan file.
struct plan_file {
  std::string_view text;
  file_elements elements;
};

/// Writes the file `path`, which appears as a whole or not at all. `write_elements` is called with
/// the sink for the elements, `num_bytes` in all.
///
/// Throws: store_error <- it cannot be written.
void write_plan_file(
    const std::string& path, std::string_view text, std::size_t num_bytes,
    const std::function<void(const std::function<void(std::span<const std::byte>)>&)>&
        write_elements);

/// Returns the contents of the file `path`, which is mapped, not read.
///
/// Throws: store_error <- it cannot be read. value_error <- it is no plan file, is of another
///         version, is cut off, or has not the contents that were written.
[[nodiscard]] plan_file read_plan_file(const std::string& path);

}  // namespace tessera
