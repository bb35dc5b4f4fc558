// SPDX-License-Identifier: Apache-2.0
/// \file
/// The program `tessera`: its commands and their options.

#include "tessera/core/error.hpp"
#include "tessera/runtime/runtime.hpp"
#include "tessera/version.hpp"

#include "core/api/nearest_name.hpp"
#include "tool/commands.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace tessera;

constexpr int wrong_call = 2;

/// Validates a number of threads. Returns the error, or "".
std::string is_count(const std::string& text) {
  const bool is_number = !text.empty() && text.size() < 10 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && text.find_first_not_of('0') != std::string::npos) return "";
  return fmt::format("'{}' is no number of threads: write one from 1 on", text);
}

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

/// Runs a command. An exception of another library becomes an error, which ends the program with
/// its message.
int run(const std::function<int()>& command) {
  try {
    return command();
  } catch (const error&) {
    throw;
  } catch (const std::exception& failure) {
    throw value_error(fmt::format("tessera: {}", failure.what()));
  }
}

/// Adds the options of copies that tell formats apart.
void add_options_of_formats(CLI::App& command, tool::copy_options& options) {
  command.add_option(
      "--shards", options.shards,
      "the lengths of shards, which hold whole chunks: by dimension, as time=8760, or "
      "by position; all stands for a whole dimension. none: no shards. Shards are "
      "of --format 3");
  command
      .add_option("--format", options.format,
                  "the version of the Zarr format of OUT, 2 or 3; by default that of IN")
      ->check(CLI::IsMember({2, 3}));
  command
      .add_option("--missing", options.missing,
                  "chunks that are not stored where no fill value is stated: fill takes them for "
                  "zeros, as zarr-python does; by default they are an error. error: wherever one "
                  "is missing")
      ->check(CLI::IsMember({"fill", "error"}));
  command
      .add_option("--separator", options.separator,
                  "what separates the numbers in the keys of IN's chunks, . or /, where its "
                  "metadata do not tell")
      ->check(CLI::IsMember({".", "/"}));
  command
      .add_option("--empty-chunks", options.empty_chunks,
                  "chunks of nothing but the fill value: write stores all, omit none; by default "
                  "those that are missing stay missing")
      ->check(CLI::IsMember({"write", "omit"}));
  command
      .add_option("--consolidated", options.consolidated,
                  "write or omit consolidated metadata; by default as IN has them")
      ->check(CLI::IsMember({"write", "omit"}));
}

/// Adds the options that `rechunk` and `copy` have in common.
void add_options_of_copies(CLI::App& command, tool::copy_options& options) {
  command.add_option("IN", options.from, "an array, or a group with all that is below it")
      ->required();
  command.add_option("OUT", options.to, "where it goes")->required();
  command.add_option("--compressor", options.compressor,
                     "none, a codec as zstd, or what Zarr's metadata say as "
                     R"('{"id": "blosc", "cname": "zstd", "clevel": 7}'; by default it stays)");
  command.add_option("--memory", options.memory, "what a task may use, as 2GB");
  command.add_option("--work-dir", options.work_dir, "the folder for what is stored in between");
  command
      .add_option("--workers", options.workers, "how many threads; by default one for each core")
      ->check(is_count);
  command.add_option("--skip", options.skipped_paths,
                     "an array or a group below IN that is left out; may be given several times");
  add_options_of_formats(command, options);
  command.add_flag("--replace", options.replaces,
                   "takes the place of the array or the group at OUT; files that are no part of it "
                   "stay");
  command.add_flag("--plan", options.is_plan,
                   "explains the plan: what it does, why, and what it costs; and ends");
}

CLI::App* add_rechunk(CLI::App& app, tool::copy_options& options) {
  CLI::App* const command = app.add_subcommand(
      "rechunk",
      "Copies an array, or all arrays of a group, into other chunks. Attributes, dimension names, "
      "fill values and codecs stay. What was stopped goes on when it is started again.");
  add_options_of_copies(*command, options);
  command
      ->add_option("--chunks", options.chunks,
                   "the lengths of chunks: by dimension, as time=8760,latitude=72, while others "
                   "stay, or by position, as 8760,72,144; all stands for a whole dimension")
      ->required();
  return command;
}

CLI::App* add_copy(CLI::App& app, tool::copy_options& options) {
  CLI::App* const command = app.add_subcommand(
      "copy",
      "Copies an array, or a group with all that is below it, chunk for chunk: byte for byte, by "
      "threads of this process, where codecs stay. What was stopped goes on when it is started "
      "again.");
  add_options_of_copies(*command, options);
  return command;
}

CLI::App* add_inspect(CLI::App& app, tool::inspect_options& options) {
  CLI::App* const command = app.add_subcommand(
      "inspect",
      "Prints what a store, a group or an array holds: groups, arrays, attributes, sizes. The exit "
      "code is 1 where something cannot be read.");
  command->add_option("PATH", options.path, "the directory of a store or of an array")->required();
  command->add_flag("--verify", options.verifies,
                    "reads every chunk, and reports each that is bad by its key");
  return command;
}

CLI::App* add_report(CLI::App& app, std::string& folder) {
  CLI::App* const command = app.add_subcommand(
      "report",
      "Writes the files of recorded runs again, tables and traces, from their logs: also of a run "
      "that was killed, or that still goes on. Prints the history of each.");
  command
      ->add_option("FOLDER", folder, "the folder of --tessera-report, or a numbered folder in it")
      ->required();
  return command;
}

CLI::App* add_study(CLI::App& app, std::vector<std::string>& paths) {
  CLI::App* const command = app.add_subcommand(
      "study",
      "Prints a scaling study, and writes its tables and plots again. Of two, compares the points "
      "that both have: medians with 95 % intervals.");
  constexpr int most_paths = 2;
  command->add_option("FILE", paths, "a folder of a study, or its study.json")
      ->required()
      ->expected(1, most_paths);
  return command;
}

struct watch_options {
  std::string folder;
  bool is_once = false;
};

CLI::App* add_watch(CLI::App& app, watch_options& options) {
  CLI::App* const command = app.add_subcommand(
      "watch",
      "Shows the progress of a recorded run by its log, also from another host. The exit code is 1 "
      "if the run failed.");
  command
      ->add_option("FOLDER", options.folder,
                   "the folder of --tessera-report, for its newest run, or a numbered folder in it")
      ->required();
  command->add_flag("--once", options.is_once, "shows the progress as it is now, and ends");
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  // Errors end the program with their message.
  const runtime running{argc, argv};
  CLI::App app{
      "Copies, rechunks and inspects Zarr arrays of any size, in bounded memory; shows runs.",
      "tessera"};
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("tessera {}.{}.{}", TESSERA_VERSION_MAJOR,
                                                TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH));
  app.footer("\n" + runtime::help());
  tool::copy_options copied;
  tool::inspect_options inspected;
  const CLI::App* const rechunk = add_rechunk(app, copied);
  const CLI::App* const copy = add_copy(app, copied);
  add_inspect(app, inspected);
  std::string report_folder;
  const CLI::App* const report = add_report(app, report_folder);
  watch_options watched;
  const CLI::App* const watch = add_watch(app, watched);
  std::vector<std::string> studied;
  const CLI::App* const study = add_study(app, studied);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    const bool lacks_command = app.get_subcommands().empty() && wrong.get_exit_code() != 0;
    if (lacks_command) {
      return explain_call(app, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    }
    return app.exit(wrong) == 0 ? 0 : wrong_call;
  }
  const bool is_copy = rechunk->parsed() || copy->parsed();
  return run([&] {
    if (report->parsed()) return tool::report(report_folder);
    if (study->parsed()) return tool::study(studied);
    if (watch->parsed()) return tool::watch(watched.folder, watched.is_once);
    return is_copy ? tool::copy(copied) : tool::inspect(inspected);
  });
}
