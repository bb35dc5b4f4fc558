// SPDX-License-Identifier: Apache-2.0
#include "tool/copy_target.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"
#include "tessera/zarr/zarr_group.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "zarr/api/claim_array.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/api/siblings.hpp"
#include "zarr/api/unfinished_array.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

namespace tessera::tool {

namespace {

/// The most names of files in a message.
constexpr std::size_t most_names = 3;

std::string list_of(const std::vector<std::string>& names) {
  const std::size_t count = std::min(names.size(), most_names);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count), ", "));
  return names.size() == count ? text : fmt::format("{} and {} more", text, names.size() - count);
}

/// Returns the arrays of `source` to copy byte for byte: chunks come before metadata.
std::vector<detail::marked_array> marked_arrays(const copy_source& source) {
  std::vector<detail::marked_array> arrays;
  for (const source_array& array : source.arrays) {
    if (array.encoded_as || array.files.chunks.empty()) continue;
    const detail::chunk_names names = array.description.names();
    index_vector last = names.counts;
    for (index_t& index : last) --index;
    arrays.push_back({array.path, names.name_of(last)});
  }
  return arrays;
}

}  // namespace

copy_target::copy_target(const std::string& path) {
  zarr_location location = locate(path);
  store_ = std::move(location.store);
  root_ = detail::normalised_path(location.path);
}

std::string copy_target::key(const std::string& path, std::string_view name) const {
  const std::string folder = path.empty() ? root_ : detail::node_key(root_, path);
  return name.empty() ? folder : detail::node_key(folder, name);
}

void copy_target::check_apart(const copy_source& source) const {
  const detail::node_location from = detail::location_of_node(source.store, source.root);
  const detail::node_location to = detail::location_of_node(store_, root_);
  if (from != to && !detail::lies_below(from, to) && !detail::lies_below(to, from)) return;
  throw value_error(fmt::format(
      "{} cannot be copied to {}: one lies in the other; choose another path",
      detail::name_of_node(*source.store, source.root), detail::name_of_node(*store_, root_)));
}

void copy_target::check_folder() const {
  const auto directory = detail::directory_of(*store_);
  if (!directory) return;
  const std::filesystem::path target = root_.empty() ? *directory : *directory + "/" + root_;
  std::error_code unreadable;
  const auto type = std::filesystem::symlink_status(target, unreadable).type();
  if (type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::none) {
    return;
  }
  if (std::filesystem::is_directory(target, unreadable)) return;
  throw zarr_error(fmt::format(
      "cannot copy to {}: {} is there; remove it or choose another path", target.string(),
      type == std::filesystem::file_type::symlink ? "a link that leads to no folder" : "a file"));
}

void copy_target::check_dimensions(const source_array& array) const {
  if (root_.empty()) return;
  const std::string group(detail::folder_above(root_));
  const std::vector<std::string>& names = array.description.dimension_names;
  for (const auto& beside : detail::named_arrays_in(*store_, group, names)) {
    if (beside.path == root_) continue;
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      for (std::size_t k = 0; k < beside.names.size(); ++k) {
        const index_t extent = array.description.grid.shape()[axis];
        if (beside.names[k] != names[axis] || beside.shape[k] == extent) continue;
        throw shape_error(fmt::format(
            "cannot copy {} to {}: its dimension \"{}\" has extent {}, and that of {} in the same "
            "group has {}, so that xarray could not open the group; choose another group",
            array.description.name, detail::name_of_node(*store_, root_), names[axis], extent,
            detail::name_of_node(*store_, beside.path), beside.shape[k]));
      }
    }
  }
}

void copy_target::check(const copy_source& source, const std::string& identity, bool replaces) {
  check_apart(source);
  check_folder();
  detail::require_no_array_above(store_, root_);
  if (const node& first = source.tree.nodes.front(); first.kind != node_kind::folder) {
    detail::require_format_above(*store_, root_,
                                 source.format ? detail::format_of(*source.format) : *first.format);
  }
  if (source.tree.nodes.front().kind == node_kind::array) check_dimensions(source.arrays.front());
  read_mark(identity);
  if (mark_ && !is_continued_ && !is_half_cleared_ && !replaces) {
    throw zarr_error(
        fmt::format("cannot copy to {}: a copy of another source, or of this one before it "
                    "changed, goes on or was stopped there; choose another path, or replace it by "
                    "--replace",
                    detail::name_of_node(*store_, root_)));
  }
  tree_ = find_nodes(*store_, root_);
  find_stray();
  keep_chunk_names();
  refuse_chunk_names(source);
  check_encoded(source);
  if (!is_continued_ && !is_half_cleared_ && !replaces) refuse_taken();
}

void copy_target::read_mark(const std::string& identity) {
  mark_ = detail::copy_mark::read(*store_, root_);
  const bool is_same = mark_ && mark_->identity == identity;
  is_continued_ = is_same && !mark_->is_clearing;
  is_half_cleared_ = is_same && mark_->is_clearing;
}

void copy_target::write_mark(const detail::copy_mark& mark) {
  const std::string text = mark.text();
  store_->write(key("", detail::copy_mark_name), std::as_bytes(std::span(text)));
}

void copy_target::keep_files_of(const std::string& array_path,
                                const std::optional<detail::chunk_names>& names) {
  const std::string folder = key(array_path, "");
  const array_files files = names ? detail::files_of_array(*store_, folder, *names)
                                  : detail::files_of_unknown(*store_, folder);
  for (const auto* group : {&files.stray, &files.outside}) {
    for (const std::string& name : *group) {
      kept_in_arrays_.push_back(detail::node_key(array_path, name));
    }
  }
}

void copy_target::find_stray() {
  stray_files_ = tree_.stray;
  kept_in_arrays_.clear();
  for (const node& member : tree_.nodes) {
    if (member.kind != node_kind::array) continue;
    auto names = detail::stored_chunk_names(*store_, key(member.path, ""));
    const auto marked = marked_at(member.path);
    if (!names && marked) names = marked->names();
    keep_files_of(member.path, names);
  }
}

std::optional<detail::marked_array> copy_target::marked_at(const std::string& path) const {
  return mark_ ? mark_->array_around(path) : std::nullopt;
}

bool copy_target::has_array(const std::string& path) const {
  return std::ranges::any_of(tree_.nodes, [&](const node& member) {
    return member.kind == node_kind::array && member.path == path;
  });
}

void copy_target::keep_chunk_names() {
  const auto is_unknown = [&](const bad_node& folder) {
    return folder.file == detail::default_format().array_key && !marked_at(folder.path);
  };
  for (const bad_node& folder : tree_.bad) {
    if (is_unknown(folder)) keep_files_of(folder.path, std::nullopt);
  }
  if (mark_) {
    for (const detail::marked_array& array : mark_->arrays) {
      if (!has_array(array.path)) keep_files_of(array.path, array.names());
    }
  }
  std::erase_if(tree_.bad, is_unknown);
  const bool has_nodes = std::ranges::any_of(
      tree_.nodes, [](const node& member) { return member.kind != node_kind::folder; });
  if (!has_nodes && tree_.bad.empty()) tree_.nodes.clear();
  stray_files_.insert(stray_files_.end(), kept_in_arrays_.begin(), kept_in_arrays_.end());
  std::erase_if(stray_files_, [](const std::string& name) {
    return name.substr(name.rfind('/') + 1).starts_with(".tessera-");
  });
  std::ranges::sort(stray_files_);
  stray_files_.erase(std::unique(stray_files_.begin(), stray_files_.end()), stray_files_.end());
}

void copy_target::refuse_chunk_names(const copy_source& source) const {
  for (const source_array& array : source.arrays) {
    const detail::chunk_names names = array.description.names();
    for (const std::string& name : kept_in_arrays_) {
      const std::string path = name.substr(0, name.find_last_not_of('/') + 1);
      if (!is_at_or_below(path, array.path)) continue;
      const std::size_t above = array.path.empty() ? 0 : array.path.size() + 1;
      const std::string below = path.size() > above ? path.substr(above) : "";
      if (!names.meets(below)) continue;
      throw zarr_error(fmt::format(
          "cannot copy to {}: '{}' is there, and readers would take it for chunks of the copy; "
          "move it away or choose another path",
          detail::name_of_node(*store_, root_), name));
    }
  }
}

void copy_target::check_encoded(const copy_source& source) const {
  for (const source_array& array : source.arrays) {
    if (!array.encoded_as) continue;
    for (const std::string& name : stray_files_) {
      if (!is_at_or_below(name, array.path)) continue;
      const std::size_t above = array.path.empty() ? 0 : array.path.size() + 1;
      // Hidden files are allowed in the folder of an array.
      if (name.size() <= above || name[above] == '.') continue;
      throw zarr_error(fmt::format(
          "cannot copy to {}: '{}' is there, and the folder of an array that is encoded anew holds "
          "nothing else; move it away or choose another path",
          detail::name_of_node(*store_, key(array.path, "")), name.substr(above)));
    }
  }
}

void copy_target::refuse_taken() const {
  const std::string name = detail::name_of_node(*store_, root_);
  if (!tree_.nodes.empty() || !tree_.bad.empty()) {
    const bool is_array = !tree_.nodes.empty() && tree_.nodes.front().kind == node_kind::array;
    throw zarr_error(fmt::format(
        "cannot copy to {}: {} is there; choose another path, or take a copy in its place by "
        "--replace",
        name, is_array ? "an array" : "a group"));
  }
  std::vector<std::string> visible = stray_files_;
  std::erase_if(visible, [](const std::string& file) { return file.front() == '.'; });
  if (visible.empty()) return;
  throw zarr_error(fmt::format(
      "cannot copy to {}: other files are there ({}); choose another path, or take a copy beside "
      "them by --replace",
      name, list_of(visible)));
}

void copy_target::clear(const std::string& path) {
  const bool keeps = std::ranges::any_of(
      stray_files_, [&](const std::string& name) { return is_at_or_below(name, path); });
  if (!keeps && !path.empty()) {
    store_->erase_all(key(path, ""));
    return;
  }
  for (const std::string& name : store_->list_folder(key(path, ""))) {
    const std::string inner = detail::node_key(path, name);
    if (inner == detail::copy_mark_name) continue;
    if (std::ranges::find(stray_files_, inner) != stray_files_.end()) continue;
    if (name.back() == '/') {
      clear(inner.substr(0, inner.size() - 1));
    } else {
      store_->erase(key(inner, ""));
    }
  }
}

void copy_target::begin(const copy_source& source, const std::string& identity, bool replaces) {
  if (const auto directory = detail::directory_of(*store_)) {
    std::error_code refused;
    std::filesystem::create_directories(detail::node_key(*directory, root_), refused);
    if (refused) {
      throw store_error(fmt::format("cannot make the folder {}: {}",
                                    detail::name_of_node(*store_, root_), refused.message()));
    }
  }
  const bool is_array = source.tree.nodes.front().kind == node_kind::array;
  const bool is_encoded = is_array && source.arrays.front().encoded_as.has_value();
  if (!is_encoded) claim_ = detail::claim_array(store_, root_);
  check(source, identity, replaces);
  refuse_other_writers(source);
  if (is_continued_) return note_unfinished(source);
  const bool holds_array = !tree_.nodes.empty() && tree_.nodes.front().kind == node_kind::array;
  // A plan removes the array that it replaces itself, under its own claim.
  const bool is_cleared = !(is_encoded && holds_array);
  if (is_cleared && (!tree_.nodes.empty() || !tree_.bad.empty() || is_half_cleared_)) {
    clear_all(identity);
  }
  write_mark({.identity = identity, .arrays = marked_arrays(source)});
  note_unfinished(source);
}

/// Throws zarr_error if a writer has claimed an array of the copy, or one that it replaces.
void copy_target::refuse_other_writers(const copy_source& source) {
  if (claim_ == nullptr) return;
  std::vector<std::string> paths;
  for (const node& member : tree_.nodes) {
    if (member.kind == node_kind::array && !member.path.empty()) {
      paths.push_back(key(member.path, ""));
    }
  }
  for (const source_array& array : source.arrays) {
    if (!array.path.empty()) paths.push_back(key(array.path, ""));
  }
  detail::refuse_claims_below(*store_, paths, "copy to");
}

/// Removes the nodes. A process that dies meanwhile leaves a mark of it. Chunks go before their
/// metadata, so that the next copy knows them for chunks.
void copy_target::clear_all(const std::string& identity) {
  write_mark({.is_clearing = true,
              .identity = identity,
              .arrays = mark_ ? mark_->arrays : std::vector<detail::marked_array>()});
  detail::change_metadata(*store_, root_, detail::old_node::goes, [this] {
    for (const node& member : tree_.nodes) {
      if (member.kind == node_kind::array) clear_chunks(member.path);
    }
    clear("");
  });
}

/// Removes the chunks of an array, in which a note says that it is unfinished.
void copy_target::clear_chunks(const std::string& path) {
  try {
    const zarr_array array = zarr_array::open(store_, key(path, ""));
    detail::note_copy(*store_, key(path, ""), array.metadata());
  } catch (const error&) {
    // No reader can open it.
  }
  for (const std::string& name : store_->list_folder(key(path, ""))) {
    const bool is_document = std::ranges::any_of(detail::formats(), [&](const auto* format) {
      return std::ranges::find(format->keys, name) != format->keys.end();
    });
    const std::string inner = path.empty() ? name : detail::node_key(path, name);
    const bool is_stray = std::ranges::find(stray_files_, inner) != stray_files_.end();
    if (is_document || is_stray || name.starts_with(".tessera-")) continue;
    if (name.back() == '/') {
      clear(inner.substr(0, inner.size() - 1));
    } else {
      store_->erase(key(inner, ""));
    }
  }
}

/// Leaves a note in each array that a plan encodes, which creates its metadata first.
void copy_target::note_unfinished(const copy_source& source) {
  for (const source_array& array : source.arrays) {
    if (array.encoded_as) detail::note_copy(*store_, key(array.path, ""), *array.encoded_as);
  }
}

std::shared_ptr<const array_destination> copy_target::destination_of(
    const source_array& array) const {
  zarr_destination to;
  to.store = store_;
  to.path = key(array.path, "");
  to.metadata = *array.encoded_as;
  if (to.metadata.format != 2 && !array.description.dimension_names.empty()) {
    to.dimension_names = array.description.dimension_names;
  }
  to.empty = array.omits_empty_chunks ? empty_chunks::omit : empty_chunks::write;
  return as_destination(std::move(to));
}

void copy_target::confirm() const {
  if (claim_ != nullptr) claim_->confirm();
}

void copy_target::consolidate_groups(const copy_source& source) const {
  for (const std::string& path : source.consolidated) {
    consolidate(zarr_group::open(store_, key(path, "")));
  }
}

void copy_target::finish(const copy_source& source) {
  for (const source_array& array : source.arrays) {
    if (array.encoded_as) detail::erase_note_of_copy(*store_, key(array.path, ""));
  }
  store_->erase(key("", detail::copy_mark_name));
}

}  // namespace tessera::tool
