// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The kernels that this process knows, by name: how a task that was written down finds its code.

#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/scan_kernel.hpp"

#include <string_view>

namespace tessera {

/// Makes `kernel` known by its name and returns it.
///
/// `kernel` must have static storage duration. Any thread may call this at any time; registering a
/// kernel again does nothing. Each kernel that an accessor of this library returns is known from
/// the start of every program that the accessor was compiled into, whether or not it was called.
const strip_kernel& register_kernel(const strip_kernel& kernel);
const generator_kernel& register_kernel(const generator_kernel& kernel);
const fold_kernel& register_kernel(const fold_kernel& kernel);
const block_kernel& register_kernel(const block_kernel& kernel);
const scan_kernel& register_kernel(const scan_kernel& kernel);

/// Returns the kernel of the name `name`.
///
/// Throws: value_error <- no kernel of that kind has this name, or two have, as function objects
/// with internal linkage in two source files may.
[[nodiscard]] const strip_kernel& find_strip_kernel(std::string_view name);
[[nodiscard]] const generator_kernel& find_generator_kernel(std::string_view name);
[[nodiscard]] const fold_kernel& find_fold_kernel(std::string_view name);
[[nodiscard]] const block_kernel& find_block_kernel(std::string_view name);
[[nodiscard]] const scan_kernel& find_scan_kernel(std::string_view name);

namespace detail {

/// Calls an accessor of a kernel when the program starts.
///
/// The accessor itself names `is_known`, so that it is made wherever the accessor is compiled.
template <const auto& (*Accessor)()>
struct known_at_start {
  static inline const bool is_known = (static_cast<void>(Accessor()), true);
};

}  // namespace detail
}  // namespace tessera
