// SPDX-License-Identifier: Apache-2.0
/// \file
/// The program `tessera`.

#include "tessera/core/error.hpp"
#include "tessera/runtime/runtime.hpp"

#include "core/api/nearest_name.hpp"
#include "tool/command_tree.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <span>
#include <string_view>
#include <vector>

namespace {

using namespace tessera;

constexpr int wrong_call = 2;

/// Explains a call without a command. Returns the exit code.
int explain_call(const CLI::App& app, std::span<char* const> words) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const auto is_word = [](const char* word) { return *word != '-'; };
  const auto word = std::ranges::find_if(words, is_word);
  if (word == words.end()) {
    std::cerr << app.help();
  } else {
    std::cerr << fmt::format(
        "tessera: '{}' is no command{}; there are {}; tessera --help explains "
        "them\n",
        *word, did_you_mean(*word, names), fmt::join(names, ", "));
  }
  return wrong_call;
}

/// Runs the command of a call. An exception of another library becomes an error, which ends the
/// program with its message.
int run(const tool::command_tree& commands) {
  try {
    return commands.run();
  } catch (const error&) {
    throw;
  } catch (const std::exception& failure) {
    throw value_error(fmt::format("tessera: {}", failure.what()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Errors end the program with their message.
  const runtime running{argc, argv};
  tool::command_tree commands;
  CLI::App& app = commands.app();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    const bool lacks_command = app.get_subcommands().empty() && wrong.get_exit_code() != 0;
    if (lacks_command) {
      return explain_call(app, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    }
    return app.exit(wrong) == 0 ? 0 : wrong_call;
  }
  return run(commands);
}
