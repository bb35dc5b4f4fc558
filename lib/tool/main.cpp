// SPDX-License-Identifier: Apache-2.0
/// \file
/// The program `tessera`: its commands and their options.

#include "tessera/runtime/runtime.hpp"
#include "tessera/version.hpp"

#include "tool/commands.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <functional>
#include <string>

namespace {

using namespace tessera;

constexpr int wrong_call = 2;

/// Adds what `rechunk` and `copy` have in common.
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
      ->check(CLI::PositiveNumber);
  command.add_flag("--replace", options.replaces, "replaces arrays that are there already");
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
      "Copies an array, or a group with all that is below it, chunk for chunk. What was stopped "
      "goes on when it is started again.");
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

}  // namespace

int main(int argc, char** argv) {
  // Errors end the program with their message.
  const runtime running{argc, argv};
  CLI::App app{"Copies, rechunks and inspects Zarr arrays of any size, in bounded memory.",
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : wrong_call;
  }
  return rechunk->parsed() || copy->parsed() ? tool::copy(copied) : tool::inspect(inspected);
}
