// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies arrays and groups, in the same chunks or in new chunks.
///
/// All nodes are listed and checked before the first write. Threads of this process copy the chunks
/// of an array byte for byte if its chunks and codecs stay; a plan decodes and encodes the chunks
/// of all remaining arrays. Metadata are written last, so that readers see an array whole or not at
/// all.

#include "tessera/array/any_array.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"

#include "core/api/counted.hpp"
#include "core/api/spec_settings.hpp"
#include "json/values.hpp"
#include "tool/commands.hpp"
#include "tool/copy_source.hpp"
#include "tool/copy_target.hpp"
#include "tool/print_json.hpp"
#include "tool/verbatim_copy.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::tool {

namespace {

spec limits_of(const copy_options& options) {
  spec limits = default_spec();
  if (!options.memory.empty()) {
    limits.allowed_memory = parse_allowed_memory("--memory", options.memory);
  }
  if (!options.work_dir.empty()) limits.work_dir = parse_work_dir("--work-dir", options.work_dir);
  return limits;
}

open_options opened_as(const copy_options& options, const source_array& array, const spec& limits) {
  open_options opened{.spec = limits, .dimension_separator = array.description.separator};
  if (options.missing == "fill") opened.missing = missing_chunks::fill;
  if (options.missing == "error") opened.missing = missing_chunks::error;
  return opened;
}

/// Returns the arrays that a plan copies: their chunks are decoded. `copy_metadata` writes their
/// attributes.
std::vector<stored_any_array> encoded_copies(const copy_source& source, const copy_target& target,
                                             const copy_options& options, const spec& limits) {
  std::vector<stored_any_array> copies;
  for (const source_array& array : source.arrays) {
    if (!array.encoded_as) continue;
    const any_array x =
        open_any(source.store, source.key(array.path, ""), opened_as(options, array, limits));
    copies.emplace_back(x, target.destination_of(array));
  }
  return copies;
}

/// Refuses a path that begins with ~: a shell does not expand it in quotes.
void require_expanded(const char* name, const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return;
  throw value_error(fmt::format(
      "{}: '{}' begins with ~, which shells replace outside of quotes alone; take the quotes away, "
      "or write ./{} for a folder of this name",
      name, path, path));
}

/// Prints the number of arrays and chunks without decoding; `action` is "copies", or "copied" at
/// the end.
void print_verbatim(const copy_source& source, std::string_view action) {
  const verbatim_count count = count_verbatim(source);
  if (count.arrays == 0) return;
  std::cout << action << " byte for byte: " << counted(count.arrays, "array") << ", "
            << counted(count.chunks, "chunk") << std::endl;
}

/// Prints the files that are no part of a store, with `fate` in front.
void print_stray_files(const std::string& fate, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::cerr << fate << name << ", which is no part of the store\n";
  }
}

/// Prints a copy that is complete, or planned: the arrays that are copied byte for byte, the plan
/// of all remaining arrays, and the files that are no part of a store.
void print_copy_json(const copy_options& options, const copy_source& source,
                     const copy_target& target, const std::optional<plan_explanation>& encoding) {
  using json = nlohmann::ordered_json;
  const verbatim_count count = count_verbatim(source);
  print_json({{"from", options.from},
              {"to", options.to},
              {"is_complete", !options.is_plan},
              {"byte_for_byte", {{"arrays", count.arrays}, {"chunks", count.chunks}}},
              {"plan", encoding ? json(fields::parse(encoding->to_json())) : json()},
              {"not_copied", source.stray_files},
              {"kept", target.stray_files()}});
}

/// Prints a copy that is complete, or planned.
void print_copy(const copy_options& options, const copy_source& source, const copy_target& target,
                const std::optional<plan_explanation>& encoding) {
  if (options.is_json) {
    print_copy_json(options, source, target, encoding);
    return;
  }
  print_verbatim(source, options.is_plan ? "copies" : "copied");
  if (encoding) std::cout << *encoding;
}

/// Returns the number of values that are copied at the same time. Threads wait most of the time if
/// one of the stores is far away.
std::size_t count_threads(const copy_options& options, const copy_source& source,
                          const copy_target& target) {
  constexpr std::size_t in_flight = 32;
  const auto is_far = [](const key_value_store& store) {
    return store.traits().latency > std::chrono::seconds(0);
  };
  if (options.workers) return *options.workers;
  if (is_far(*source.store) || is_far(*target.store())) return in_flight;
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

int copy(const copy_options& options) {
  require_expanded("IN", options.from);
  require_expanded("OUT", options.to);
  const spec limits = limits_of(options);
  const copy_source source = find_source(options);
  copy_target target(options.to);
  const std::string identity = source.identity(options);
  target.check(source, identity, options.replaces);
  const run_with runner{.executor =
                            options.workers ? executors::threads(*options.workers) : nullptr};
  auto copies = encoded_copies(source, target, options, limits);
  using copy_plan = decltype(plan(copies, runner));
  std::optional<copy_plan> encoding;
  if (!copies.empty()) encoding.emplace(plan(std::move(copies), runner));
  print_stray_files("not copied: ", source.stray_files);
  std::optional<plan_explanation> explanation;
  if (encoding && (options.is_plan || options.is_json)) explanation = encoding->explain();
  if (options.is_plan) {
    print_copy(options, source, target, explanation);
    return 0;
  }
  if (encoding && !options.is_json) {
    std::cout << *encoding << '\n' << "cost: " << encoding->cost() << std::endl;
  }
  target.begin(source, identity, options.replaces);
  print_stray_files("kept: " + options.to + '/', target.stray_files());
  if (encoding) encoding->execute();
  copy_chunks(source, target, count_threads(options, source, target), limits.allowed_memory);
  target.confirm();
  copy_metadata(source, target);
  target.consolidate_groups(source);
  target.finish(source);
  print_copy(options, source, target, explanation);
  return 0;
}

}  // namespace tessera::tool
