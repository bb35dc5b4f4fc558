// SPDX-License-Identifier: Apache-2.0
#include "zarr/overwriting_note.hpp"

#include "tessera/core/error.hpp"

#include "core/api/file_names.hpp"
#include "core/api/host_name.hpp"
#include "json/byte_text.hpp"
#include "json/values.hpp"
#include "store/api/finished_runs.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/api/unfinished_array.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/array_state.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/store_json.hpp"
#include "zarr/stored_region.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <utility>

namespace tessera::detail {

namespace {

using nlohmann::json;

constexpr std::string_view note_name = ".tessera-overwritten";

std::string state_of_process() { return fmt::format("{} {}", ::getpid(), host_name()); }

/// Returns the attributes as text; none if they are faulty.
std::string text_of(const attributes& values) {
  try {
    return values.to_json();
  } catch (const zarr_error&) {
    return "{}";
  }
}

/// Tells whether the run has ended well, and was killed before it had removed its last note.
bool is_void(const overwriting_note& note) {
  return note.run != run_of_copy && !note.work_dir.empty() &&
         note.run.find('/') == std::string::npos &&
         is_recorded(note.work_dir, record_of_whole_arrays(note.run));
}

}  // namespace

std::optional<overwriting_note> read_note(const key_value_store& store, const std::string& path) {
  // A store that cannot be written has no notes, and may answer slowly.
  if (!store.traits().is_writable) return std::nullopt;
  const auto text = read_text(store, node_key(path, note_name));
  if (!text) return std::nullopt;
  try {
    const json value = fields::parse_or_discard(*text);
    overwriting_note note{
        fields::text(value.at("run")), fields::text(value.at("state")),
        fields::byte_text(value.at("metadata")), fields::byte_text(value.at("attributes")),
        // Notes of earlier versions have none.
        value.contains("work_dir") ? fields::byte_text(value.at("work_dir")) : std::string()};
    return is_void(note) ? std::nullopt : std::optional(std::move(note));
  } catch (const json::exception& failure) {
    throw zarr_error(
        fmt::format("{}: the note '{}' of a run that overwrites the array is malformed ({}); store "
                    "the array anew",
                    name_of_node(store, path), note_name, failure.what()));
  }
}

void write_note(key_value_store& store, const std::string& path, const overwriting_note& note) {
  const json value{{"run", note.run},
                   {"state", note.state},
                   {"metadata", fields::of_byte_text(note.metadata)},
                   {"attributes", fields::of_byte_text(note.attributes)},
                   {"work_dir", fields::of_byte_text(note.work_dir)}};
  write_text(store, node_key(path, note_name), value.dump());
}

void erase_note(key_value_store& store, const std::string& path) {
  const std::string key = node_key(path, note_name);
  if (store.exists(key)) store.erase(key);
}

bool is_copied_here(const key_value_store& store, const std::string& path) {
  const auto note = read_note(store, path);
  return note && note->run == run_of_copy && note->state == state_of_process();
}

zarr_array as_before_overwriting(zarr_array opened) {
  const auto note = read_note(*underlying(opened.store()), opened.path());
  if (!note) return opened;
  const attributes values =
      note->run == run_of_copy ? opened.attributes() : attributes::parse(note->attributes);
  return zarr_destination_port::with_metadata(opened, zarr_metadata::parse(note->metadata), values);
}

void note_copy(key_value_store& store, const std::string& path, const zarr_metadata& metadata) {
  write_note(store, path,
             {std::string(run_of_copy), state_of_process(), metadata.to_json(), "{}", ""});
}

void erase_note_of_copy(key_value_store& store, const std::string& path) {
  erase_note(store, path);
}

void refuse_unfinished(const key_value_store& store, const std::string& path,
                       std::string_view action) {
  const auto note = read_note(store, path);
  if (!note) return;
  throw zarr_error(
      fmt::format("{} '{}': {}", action, name_of_node(store, path), reason_of_note(note->run)));
}

zarr_array zarr_destination_port::with_metadata(const zarr_array& array,
                                                const zarr_metadata& metadata,
                                                const attributes& values) {
  zarr_array described(make_state(array.store(), array.path(), metadata, values));
  described = described.with(array.policy());
  for (const std::string& name : array.field_path()) described = described.field(name);
  return described;
}

// Readers of an array do not see the elements behind its end, so that it can be appended to itself.
std::optional<std::string> zarr_destination_port::overwritten_location() const {
  const bool is_unseen =
      to_.within && intersect(region::whole(to_.within->old_shape), to_.within->changed()).empty();
  if (intermediate_ || is_unseen) return std::nullopt;
  std::call_once(is_located_, [this] { location_ = location_text(node()); });
  return location_;
}

bool zarr_destination_port::outlives_process() const {
  return underlying(to_.store)->recipe().has_value();
}

void zarr_destination_port::leave_note(const std::string& run, const std::string& work_dir) const {
  const std::string path = normalised_path(to_.path);
  const auto truth = underlying(to_.store);
  // The array changes from now on.
  static_cast<void>(checked_documents(true));
  const auto earlier = read_note(*truth, path);
  if (earlier && earlier->run == run) return;
  const zarr_array array = zarr_array::open(truth, path);
  write_note(*truth, path,
             {run, state_of_array(array), array.metadata().to_json(), text_of(array.attributes()),
              absolute_name(work_dir)});
}

void zarr_destination_port::remove_note() const {
  const auto truth = underlying(to_.store);
  const std::string path = normalised_path(to_.path);
  const auto now = checked_documents(true);
  if (now && !std::ranges::count(now->list_folder(path), note_name)) return;
  // The plan of a copy creates an array that is unfinished until the copy has ended.
  if (!is_copied_here(*truth, path)) erase_note(*truth, path);
}

std::vector<std::string> zarr_destination_port::stopped_appends() const {
  const auto truth = underlying(to_.store);
  if (intermediate_ || !truth->traits().has_lists) return {};
  const auto now = checked_documents();
  const key_value_store& names = now ? *now : *truth;
  return marked_appends(names, normalised_path(to_.path), box());
}

void zarr_destination_port::refuse_unfinished(const std::string& run) const {
  if (!to_.within) return;
  const std::string path = normalised_path(to_.path);
  const auto truth = underlying(to_.store);
  const auto note = read_note(*truth, path);
  if (note && note->run != run) detail::refuse_unfinished(*truth, path, "store to");
}

}  // namespace tessera::detail
