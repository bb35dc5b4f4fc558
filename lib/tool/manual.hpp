// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Manual pages and completions of a program, from the tree of its commands.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tessera::tool {

/// An option of a command, as manuals and completions need it.
struct option_text {
  /// "--format", or the name of a positional: "IN".
  std::string name;
  std::string description;
  /// The words that the value may be; empty: any.
  std::vector<std::string> choices;
  bool is_flag = false;
  bool is_positional = false;
  bool is_required = false;
  /// Whether it may be given several times.
  bool is_list = false;
};

/// Returns the options of a command, positional ones first.
[[nodiscard]] std::vector<option_text> options_of(const CLI::App& command);

/// Returns the commands of a program.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& program);

/// Returns the first sentence of a description, without its full stop.
[[nodiscard]] std::string first_sentence(const std::string& description);

/// Returns the manual page of the program, or of a command of it, in roff.
///
/// Source: man(7).
[[nodiscard]] std::string manual_page(const CLI::App& program, const CLI::App& command);

[[nodiscard]] std::string bash_completion(const CLI::App& program);
[[nodiscard]] std::string zsh_completion(const CLI::App& program);
[[nodiscard]] std::string fish_completion(const CLI::App& program);

/// Writes the manual pages and completions of `program`: man1/tessera.1, man1/tessera-<command>.1,
/// bash/tessera, zsh/_tessera, fish/tessera.fish.
///
/// Throws: store_error <- a file cannot be written.
void write_manual(const CLI::App& program, const std::string& folder);

}  // namespace tessera::tool
