// SPDX-License-Identifier: Apache-2.0
#include "tool/command_tree.hpp"

#include "tessera/runtime/runtime.hpp"
#include "tessera/version.hpp"

#include "tool/manual.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace tessera::tool {

namespace {

constexpr const char* json_flag = "--json";
constexpr const char* json_text = "prints JSON, for programs";

/// Validates a number of threads. Returns the error, or "".
std::string is_count(const std::string& text) {
  const bool is_number = !text.empty() && text.size() < 10 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && text.find_first_not_of('0') != std::string::npos) return "";
  return fmt::format("'{}' is no number of threads: write one from 1 on", text);
}

std::string is_svg(const std::string& path) {
  if (path.size() > 4 && path.ends_with(".svg")) return "";
  return fmt::format("'{}' is no name of a picture: write one that ends in .svg", path);
}

/// Validates a number of simulated workers.
std::string is_number_of_workers(const std::string& text) {
  constexpr std::size_t most = 10'000'000;
  const std::string wrong = is_count(text);
  if (!wrong.empty()) return fmt::format("'{}' is no number of workers: write one from 1 on", text);
  if (std::stoull(text) <= most) return "";
  return fmt::format("'{}' is above the {} workers that are simulated", text, most);
}

void add_missing(CLI::App& command, std::string& missing) {
  command
      .add_option("--missing", missing,
                  "chunks that are not stored where no fill value is stated: fill takes them for "
                  "zeros, as zarr-python does; by default they are an error. error: wherever one "
                  "is missing")
      ->check(CLI::IsMember({"fill", "error"}));
}

/// Adds the options of copies that tell formats apart.
void add_options_of_formats(CLI::App& command, copy_options& options) {
  command.add_option(
      "--shards", options.shards,
      "the lengths of shards, which hold whole chunks: by dimension, as time=8760, or "
      "by position; all stands for a whole dimension. none: no shards. Shards are "
      "of --format 3");
  command
      .add_option("--format", options.format,
                  "the version of the Zarr format of OUT, 2 or 3; by default that of IN")
      ->check(CLI::IsMember({2, 3}));
  add_missing(command, options.missing);
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
void add_options_of_copies(CLI::App& command, copy_options& options) {
  command.add_option("IN", options.from, "an array, or a group with all that is below it")
      ->required();
  command.add_option("OUT", options.to, "where it goes")->required();
  command.add_option("--compressor", options.compressor,
                     "none, a codec as zstd, or what Zarr's metadata say as "
                     R"('{"id": "blosc", "cname": "zstd", "clevel": 7}'; by default it stays)");
  command.add_option("--memory", options.memory, "the memory of a task, as 2GB");
  command.add_option("--work-dir", options.work_dir, "the folder of intermediates");
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
                   "explains the plan: operations, reasons and costs; and ends");
  command.add_flag(json_flag, options.is_json, json_text);
}

}  // namespace

command_tree::command_tree()
    : app_(
          "Copies, rechunks, inspects and compares Zarr arrays of any size, in bounded memory; "
          "shows runs.",
          "tessera") {
  app_.require_subcommand(1);
  app_.set_version_flag("--version", fmt::format("tessera {}.{}.{}", TESSERA_VERSION_MAJOR,
                                                 TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH));
  app_.footer("\n" + runtime::help());
  add_copies();
  add_checks();
  add_comparisons();
  add_records();
  add_reports();
  add_studies();
  add_manual();
}

int command_tree::run() const {
  const auto called = std::ranges::find_if(
      commands_, [](const command& candidate) { return candidate.parser->parsed(); });
  return called->run();
}

CLI::App& command_tree::add(const std::string& name, const std::string& description,
                            const std::string& examples, const std::string& failures,
                            std::function<int()> run) {
  CLI::App* const parser = app_.add_subcommand(name, description);
  parser->footer(
      fmt::format("Examples:\n{}\nExit codes:\n"
                  "  0    success\n"
                  "  1    {}\n"
                  "  2    the call is wrong\n"
                  "  130  interrupted",
                  examples, failures));
  commands_.push_back({parser, std::move(run)});
  return *parser;
}

void command_tree::add_copies() {
  CLI::App& rechunk = add(
      "rechunk",
      "Copies an array, or all arrays of a group, into other chunks. Attributes, dimension names, "
      "fill values and codecs stay. What was stopped goes on when it is started again.",
      "  tessera rechunk maps.zarr series.zarr --chunks time=all,lat=72,lon=144\n"
      "  tessera rechunk maps.zarr series.zarr --chunks 8760,72,144 --memory 2GB --plan\n",
      "a failure, with its reason", [this] { return copy(copied_); });
  add_options_of_copies(rechunk, copied_);
  rechunk
      .add_option("--chunks", copied_.chunks,
                  "the lengths of chunks: by dimension, as time=8760,latitude=72, while others "
                  "stay, or by position, as 8760,72,144; all stands for a whole dimension")
      ->required();
  CLI::App& copies = add(
      "copy",
      "Copies an array, or a group with all that is below it, chunk for chunk: byte for byte, by "
      "threads of this process, where codecs stay. What was stopped goes on when it is started "
      "again.",
      "  tessera copy era5.zarr backup.zarr\n"
      "  tessera copy old.zarr new.zarr --format 3 --shards all --compressor zstd\n"
      "  tessera copy era5.zarr backup.zarr --plan --json | jq '.byte_for_byte'\n",
      "a failure, with its reason", [this] { return copy(copied_); });
  add_options_of_copies(copies, copied_);
}

void command_tree::add_checks() {
  const auto add_path = [](CLI::App& command, inspect_options& options) {
    command.add_option("PATH", options.path, "the directory of a store or of an array")->required();
    command.add_flag(json_flag, options.is_json, json_text);
  };
  CLI::App& inspects = add("inspect",
                           "Prints the contents of a store, a group or an array: groups, arrays, "
                           "attributes, sizes. The exit "
                           "code is 1 where something cannot be read.",
                           "  tessera inspect era5.zarr\n"
                           "  tessera inspect era5.zarr --json | jq '.nodes[].path'\n",
                           "something cannot be read", [this] { return inspect(inspected_); });
  add_path(inspects, inspected_);
  inspects.add_flag("--verify", inspected_.verifies,
                    "reads every chunk, and reports each that is bad by its key");
  verified_.verifies = true;
  verified_.shows_nodes = false;
  CLI::App& verifies = add(
      "verify",
      "Reads every chunk of a store, a group or an array, and reports each that is bad by its key.",
      "  tessera verify era5.zarr\n"
      "  tessera verify era5.zarr --json | jq '.bad'\n",
      "something is bad", [this] { return inspect(verified_); });
  add_path(verifies, verified_);
}

void command_tree::add_comparisons() {
  CLI::App& differs = add(
      "diff",
      "Compares two arrays, or two groups with all that is below them: shapes, dtypes, attributes "
      "and elements. Prints nothing where they are the same.",
      "  tessera diff run1.zarr run2.zarr\n"
      "  tessera diff run1.zarr/t2m run2.zarr/t2m --rtol 1e-6 --equal-nan\n",
      "a difference, or a failure with its reason", [this] { return diff(compared_); });
  differs.add_option("A", compared_.first_path, "an array or a group")->required();
  differs.add_option("B", compared_.second_path, "an array or a group")->required();
  differs.add_option("--rtol", compared_.relative,
                     "elements a, b are the same if |a - b| <= atol + rtol * |b|; by default 0");
  differs.add_option("--atol", compared_.absolute, "see --rtol; by default 0");
  differs.add_flag("--equal-nan", compared_.equates_nan, "a NaN is the same as a NaN");
  add_missing(differs, compared_.missing);
  differs.add_flag(json_flag, compared_.is_json, json_text);
  CLI::App& summarises = add(
      "stats",
      "Prints least, greatest and mean element, standard deviation and the number of missing "
      "elements of an array, or of all arrays of a group; quantiles if asked; of all elements, or "
      "at each index of a dimension. Missing are NaN and the values of the "
      "attributes _FillValue and missing_value. Memory is bounded by --tessera-memory.",
      "  tessera stats era5.zarr/t2m\n"
      "  tessera stats era5.zarr/t2m --quantiles 0.01,0.5,0.99\n"
      "  tessera stats era5.zarr --by time\n"
      "  tessera stats era5.zarr --json --tessera-memory=500MB\n",
      "a failure, with its reason", [this] { return stats(summarised_); });
  summarises.add_option("PATH", summarised_.path, "an array or a group")->required();
  summarises
      .add_option(
          "--quantiles", summarised_.quantiles,
          "the fractions of the sorted elements, from 0 to 1, as 0.25,0.5,0.75; between two "
          "elements it interpolates")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 1.0));
  summarises.add_option("--by", summarised_.by,
                        "a dimension, or the number of an axis: prints a line for each index");
  add_missing(summarises, summarised_.missing);
  summarises.add_flag(json_flag, summarised_.is_json, json_text);
}

void command_tree::add_records() {
  CLI::App& plans = add(
      "plan",
      "Prints a saved plan of any program: its operations, tasks, memory, and reads and writes. "
      "Explains, draws and simulates it if asked.",
      "  tessera plan anomaly.plan\n"
      "  tessera plan anomaly.plan --explain --draw anomaly.svg\n"
      "  tessera plan anomaly.plan --simulate 10,100,1000\n"
      "  tessera plan anomaly.plan --json | jq '.cost.work'\n",
      "the file is no plan, or is damaged", [this] { return show_plan(planned_); });
  plans.add_option("FILE", planned_.path, "a file that ts::plan::save wrote")->required();
  plans.add_flag("--explain", planned_.explains,
                 "prints the explanation: the work of operations, the places of arrays, and the "
                 "decisions of the planner");
  plans.add_option("--draw", planned_.drawing, "writes a picture: a name that ends in .svg")
      ->check(is_svg);
  plans
      .add_option("--simulate", planned_.simulated_workers,
                  "numbers of workers, as 10,100,1000: prints the time of a simulated run on each, "
                  "by the costs that the plan was made with; memory is left out")
      ->delimiter(',')
      ->check(is_number_of_workers);
  plans.add_flag(json_flag, planned_.is_json, json_text);
  CLI::App& lists = add(
      "runs",
      "Lists the runs in a work directory that did not end, or still go on: with their sizes and "
      "their plans. In a bucket, also the folders of the messages of runs, with the last sign of "
      "life of their drivers. Removes them if asked.",
      "  tessera runs\n"
      "  tessera runs /scratch/work --remove\n"
      "  tessera runs s3://bucket/tmp\n",
      "a failure, with its reason", [this] { return runs(listed_); });
  lists.add_option("DIR", listed_.work_dir,
                   "the work directory; by default that of --tessera-work-dir");
  lists.add_flag("--remove", listed_.removes, "removes those that no process works on");
  lists.add_flag(json_flag, listed_.is_json, json_text);
}

void command_tree::add_reports() {
  CLI::App& watches = add(
      "watch",
      "Shows the progress of a recorded run by its log, or of a detached run, also from another "
      "host. The exit code is 1 if the run failed.",
      "  tessera watch records\n"
      "  tessera watch records/3 --once\n"
      "  tessera watch runs/first\n"
      "  tessera watch records --json | jq .seconds\n",
      "the run failed, or fell silent", [this] { return watch(watched_); });
  watches
      .add_option("FOLDER", watched_.folder,
                  "the folder of --tessera-report, for its newest run, a numbered folder in it, or "
                  "the folder of --tessera-detach")
      ->required();
  watches.add_flag("--once", watched_.is_once, "shows the progress as it is now, and ends");
  watches.add_flag(json_flag, watched_.is_json,
                   "prints a line of JSON for each progress, the last with the state of the run");
  CLI::App& reports = add(
      "report",
      "Writes the files of recorded runs again, tables and traces, from their logs: also of a run "
      "that was killed, or that still goes on. Prints the history of each.",
      "  tessera report records\n"
      "  tessera report records/3 --json | jq '.[0].history.operations'\n",
      "a failure, with its reason", [this] { return report(reported_); });
  reports
      .add_option("FOLDER", reported_.folder,
                  "the folder of --tessera-report, or a numbered folder in it")
      ->required();
  reports.add_flag(json_flag, reported_.is_json, json_text);
}

void command_tree::add_studies() {
  constexpr int most_paths = 2;
  CLI::App& studies = add(
      "study",
      "Prints a scaling study, and writes its tables and plots again. Of two, compares the points "
      "that both have: medians with 95 % intervals.",
      "  tessera study study\n"
      "  tessera study before/study.json after/study.json\n",
      "a failure, with its reason", [this] { return study(studied_); });
  studies.add_option("FILE", studied_.paths, "a folder of a study, or its study.json")
      ->required()
      ->expected(1, most_paths);
  studies.add_flag(json_flag, studied_.is_json, json_text);
}

void command_tree::add_manual() {
  add("manual",
      "Writes the manual pages of this program, and its completion for bash, zsh and fish, into a "
      "folder: man1, bash, zsh, fish.",
      "  tessera manual share\n"
      "  source share/bash/tessera\n",
      "a file cannot be written",
      [this] {
        write_manual(app_, manual_folder_);
        return 0;
      })
      .add_option("FOLDER", manual_folder_, "the folder, which is made if it is not there")
      ->required();
}

}  // namespace tessera::tool
