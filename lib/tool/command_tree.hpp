// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The commands of the program `tessera`: names, options, examples, and the values of a call.

#include "tool/commands.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace tessera::tool {

/// The tree of commands. `app()` parses a call; `run()` runs the command that the call names.
class command_tree {
 public:
  command_tree();
  command_tree(const command_tree&) = delete;
  command_tree& operator=(const command_tree&) = delete;
  ~command_tree() = default;

  [[nodiscard]] CLI::App& app() { return app_; }
  /// Returns the exit code. Requires a parsed call.
  [[nodiscard]] int run() const;

 private:
  struct command {
    const CLI::App* parser;
    std::function<int()> run;
  };

  /// Adds a command; `examples` are lines, and `failures` tells the meaning of exit code 1.
  CLI::App& add(const std::string& name, const std::string& description,
                const std::string& examples, const std::string& failures, std::function<int()> run);
  void add_copies();
  void add_checks();
  void add_comparisons();
  void add_records();
  void add_reports();
  void add_studies();
  void add_manual();

  CLI::App app_;
  std::vector<command> commands_;
  copy_options copied_;
  inspect_options inspected_;
  inspect_options verified_;
  difference_options compared_;
  statistics_options summarised_;
  plan_options planned_;
  runs_options listed_;
  report_options reported_;
  watch_options watched_;
  study_options studied_;
  std::string manual_folder_;
};

}  // namespace tessera::tool
