// SPDX-License-Identifier: Apache-2.0
#include "tool/manual.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace tessera::tool {

namespace {

namespace fs = std::filesystem;

/// Returns the choices of a type as CLI11 names it: "TEXT:{fill,error}".
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t start = type.find('{');
  const std::size_t end = type.find('}');
  if (start == std::string::npos || end == std::string::npos) return {};
  std::istringstream words(type.substr(start + 1, end - start - 1));
  std::vector<std::string> choices;
  for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
  return choices;
}

option_text text_of(const CLI::Option& option) {
  const bool is_positional = !option.nonpositional();
  return {.name = is_positional ? option.get_name(true)
                                : fmt::format("--{}", option.get_lnames().front()),
          .description = option.get_description(),
          .choices = choices_of(option.get_type_name()),
          .is_flag = option.get_items_expected_max() == 0,
          .is_positional = is_positional,
          .is_required = option.get_required(),
          .is_list = option.get_items_expected_max() > 1};
}

void write_file(const fs::path& path, const std::string& text) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw store_error(fmt::format("cannot write {}", path.string()));
}

}  // namespace

std::vector<option_text> options_of(const CLI::App& command) {
  std::vector<option_text> options;
  for (const CLI::Option* option : command.get_options()) options.push_back(text_of(*option));
  std::stable_partition(options.begin(), options.end(),
                        [](const option_text& option) { return option.is_positional; });
  return options;
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

std::string first_sentence(const std::string& description) {
  const std::size_t end = std::min(description.find(". "), description.rfind('.'));
  return description.substr(0, end);
}

void write_manual(const CLI::App& program, const std::string& folder) {
  const fs::path root = folder;
  const std::string name = program.get_name();
  write_file(root / "man1" / fmt::format("{}.1", name), manual_page(program, program));
  for (const CLI::App* command : commands_of(program)) {
    write_file(root / "man1" / fmt::format("{}-{}.1", name, command->get_name()),
               manual_page(program, *command));
  }
  write_file(root / "bash" / name, bash_completion(program));
  write_file(root / "zsh" / fmt::format("_{}", name), zsh_completion(program));
  write_file(root / "fish" / fmt::format("{}.fish", name), fish_completion(program));
}

}  // namespace tessera::tool
