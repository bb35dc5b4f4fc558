// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The members of the default spec that options of a program set.

#include "tessera/core/bytes.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// Members of a spec that somebody has set.
struct spec_settings {
  std::optional<bytes> allowed_memory = std::nullopt;
  std::optional<std::string> work_dir = std::nullopt;
};

/// Returns the memory or folder that `text` names. `source` is the option or variable, for the
/// error.
///
/// Throws: value_error <- it names none.
[[nodiscard]] bytes parse_allowed_memory(std::string_view source, std::string_view text);
[[nodiscard]] std::string parse_work_dir(std::string_view source, std::string_view text);

/// Returns `settings` with members that are not set filled from the environment.
///
/// Throws: value_error <- an environment variable that counts has no such value.
[[nodiscard]] spec_settings with_environment(spec_settings settings);

/// Sets the settings that go before the environment in `default_spec()`, and returns the ones
/// before.
///
/// Threads: may be called from several threads at the same time.
spec_settings exchange_spec_settings(spec_settings wanted);

}  // namespace tessera
