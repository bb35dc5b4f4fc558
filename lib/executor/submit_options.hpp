// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The options of an engine that submits jobs by a command, in its name:
/// "slurm:workers=8,partition=debug,sbatch=--nice=100".

#include "executor/engine_options.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// The options `workers`, options with a text as value, and the option `command` for each further
/// argument of the command. `Options` has the members `workers` and `extra`.
template <class Options>
struct submit_options {
  std::string_view engine;
  std::string_view command;
  std::string_view example;
  std::vector<std::pair<std::string_view, std::string Options::*>> texts;

  /// Returns the name of the engine with `options`, without texts that are the default.
  [[nodiscard]] std::string print(const Options& options) const {
    std::string name = fmt::format("{}:workers={}", engine, options.workers);
    for (const auto& [key, text] : texts) {
      if (options.*text != Options{}.*text) name += fmt::format(",{}={}", key, options.*text);
    }
    for (const std::string& argument : options.extra)
      name += fmt::format(",{}={}", command, argument);
    return name;
  }

  /// Returns the options in the name of an engine.
  ///
  /// Throws: value_error <- as `read_engine_options` does.
  [[nodiscard]] Options parse(std::string_view name) const {
    std::vector<std::string_view> keys{"workers"};
    for (const auto& option : texts) keys.push_back(option.first);
    keys.push_back(command);
    Options options;
    const auto take = [&](std::string_view key, const std::string& value) -> std::string {
      if (key == "workers") return take_count(value, "workers", options.workers);
      if (key == command) options.extra.push_back(value);
      for (const auto& [text_key, text] : texts) {
        if (text_key == key) options.*text = value;
      }
      return {};
    };
    read_engine_options(name, {keys, example}, take);
    return options;
  }
};

}  // namespace tessera
