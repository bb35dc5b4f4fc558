// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Options in the name of an engine: "slurm:workers=8,partition=debug".

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// The options of an engine, for messages.
struct option_syntax {
  std::span<const std::string_view> keys;
  std::string_view example;
};

/// Takes an option. Returns a complaint about its value; empty if the value is good.
using option_taker = std::function<std::string(std::string_view key, const std::string& value)>;

/// Gives each option in the name of an engine to `take`.
///
/// Throws: value_error <- a key is unknown, or a value is empty or has a complaint.
void read_engine_options(std::string_view name, const option_syntax& syntax,
                         const option_taker& take);

/// Parses a number of things, "8". Returns a complaint as an `option_taker` does.
[[nodiscard]] std::string take_count(const std::string& value, std::string_view things,
                                     std::size_t& count);

}  // namespace tessera
