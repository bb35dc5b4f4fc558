// SPDX-License-Identifier: Apache-2.0
#include "tool/copy_source.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "core/api/fingerprint.hpp"
#include "core/api/nearest_name.hpp"
#include "tool/chunk_text.hpp"
#include "tool/listing_store.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/api/unfinished_array.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace tessera::tool {

namespace {

/// Returns a location that the user gave without the query and the user of a URL, which may be
/// secrets.
std::string shown(std::string_view location) {
  const std::size_t colon = location.find("://");
  if (colon == std::string_view::npos) return std::string(location);
  const std::string_view scheme = location.substr(0, colon + 3);
  std::string_view place = location.substr(colon + 3);
  place = place.substr(0, place.find('?'));
  const std::size_t at = place.substr(0, place.find('/')).rfind('@');
  if (at != std::string_view::npos) place.remove_prefix(at + 1);
  return fmt::format("{}{}", scheme, place);
}

codec::configuration compressor_of(const std::string& text) {
  if (text == "none") return codec::none{};
  return codec::configuration::from_json(
      text.starts_with("{") ? text : fmt::format(R"({{"id": "{}"}})", text));
}

/// Lists the nodes of a source, and collects all obstacles to the copy.
class source_finder {
 public:
  explicit source_finder(const copy_options& options) : options_(options) {
    if (options.chunks) chunks_.emplace("--chunks", *options.chunks);
    if (options.shards && *options.shards != "none") shards_.emplace("--shards", *options.shards);
    if (!options.compressor.empty()) compressor_ = compressor_of(options.compressor);
    if (!options.separator.empty()) separator_ = options.separator.front();
  }

  copy_source find() {
    zarr_location location = locate(options_.from);
    source_.store = with_lists(std::move(location.store), location.path);
    source_.format = options_.format;
    source_.root = std::move(location.path);
    source_.tree = find_nodes(*source_.store, source_.root);
    require_root();
    skip();
    for (const bad_node& bad : source_.tree.bad) {
      add_obstacle(bad.path,
                   fmt::format("{}: {}", detail::node_key(bad.path, bad.file), bad.reason));
    }
    source_.stray_files = std::move(source_.tree.stray);
    for (const node& member : source_.tree.nodes) add(member);
    if (chunks_ || shards_) choose_chunks();
    for (source_array& array : source_.arrays) choose_encoding(array);
    find_consolidated();
    refuse_obstacles();
    return std::move(source_);
  }

 private:
  void require_root() const {
    const auto& nodes = source_.tree.nodes;
    if (!nodes.empty() && nodes.front().kind != node_kind::folder) return;
    if (!source_.tree.bad.empty() && source_.tree.bad.front().path.empty()) {
      const bad_node& bad = source_.tree.bad.front();
      throw zarr_error(
          fmt::format("{} cannot be copied: {}: {}", shown(options_.from), bad.file, bad.reason));
    }
    if (nodes.empty()) static_cast<void>(zarr_array::open(source_.store, source_.root));
    const detail::node_format& format = detail::default_format();
    throw zarr_error(fmt::format(
        "{} is no Zarr array and no group: it has neither {} nor {}; name the array or the group",
        detail::name_of_node(*source_.store, source_.root),
        detail::names_of_documents(detail::node_kind::array, "nor"), format.group_key));
  }

  void skip() {
    for (std::string path : options_.skipped_paths) {
      while (path.ends_with('/')) path.pop_back();
      const auto is_skipped = [&](const auto& member) { return is_at_or_below(member.path, path); };
      const std::size_t count = std::erase_if(source_.tree.nodes, is_skipped) +
                                std::erase_if(source_.tree.bad, is_skipped);
      if (count == 0 || path.empty()) refuse_skipped(path);
    }
  }

  [[noreturn]] void refuse_skipped(const std::string& path) const {
    std::vector<std::string_view> names;
    for (const node& member : source_.tree.nodes) names.push_back(member.path);
    throw value_error(
        fmt::format("--skip: {} holds no '{}'{}; write a path below it, as "
                    "monthly/temperature",
                    shown(options_.from), path, did_you_mean(path, names)));
  }

  void add_obstacle(const std::string& path, std::string reason) {
    obstacles_.emplace_back(path, std::move(reason));
  }

  void add(const node& member) {
    if (member.kind != node_kind::array) return;
    const std::string path = source_.key(member.path, "");
    try {
      detail::refuse_unfinished(*source_.store, path, "copy");
      source_array array{member.path, describe_array(*source_.store, path, separator_)};
      array.files = detail::files_of_array(*source_.store, path, array.description.names());
      array.chunks = array.description.chunks;
      leave_out(array.path, array.files.stray);
      leave_out(array.path, array.files.outside);
      if (detail::has_group_node(*source_.store, path)) {
        leave_out(array.path, {std::string(member.format->group_key)});
      }
      require_chunks(array.description, array.files, options_.missing);
      source_.arrays.push_back(std::move(array));
    } catch (const error& failure) {
      add_obstacle(member.path, failure.what());
    }
  }

  void leave_out(const std::string& path, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      source_.stray_files.push_back(detail::node_key(path, name));
    }
  }

  void choose_chunks() {
    std::vector<const array_description*> arrays;
    for (const source_array& array : source_.arrays) arrays.push_back(&array.description);
    if (shards_) shards_->require_names(arrays);
    if (!chunks_) return;
    chunks_->require_names(arrays);
    for (source_array& array : source_.arrays) array.chunks = chunks_->of(array.description);
  }

  [[nodiscard]] bool must_encode(const source_array& array) const {
    if (options_.format && array.description.format->number != *options_.format) return true;
    if (array.chunks != array.description.chunks || compressor_ || shards_) return true;
    const bool has_shards = array.description.chunks != array.description.grid.chunks();
    if (options_.shards && has_shards) return true;
    if (options_.empty_chunks == "omit") return array.description.states_fill_value;
    return options_.empty_chunks == "write" && count_missing(array.description, array.files) > 0;
  }

  /// Chunks that are asked for replace the chunks in shards; shards stay if they divide these.
  void choose_chunks(const source_array& array, zarr_metadata& metadata) const {
    if (options_.shards) {
      const index_vector old = std::exchange(metadata.shards, {});
      metadata.chunks = array.chunks;
      if (shards_) metadata.shards = shards_->shards_of(array.description, array.chunks, old);
      // None of the lengths is of an axis of this array.
      if (metadata.shards == metadata.chunks && old.empty()) metadata.shards = {};
      return;
    }
    if (array.chunks == array.description.chunks) return;
    metadata.chunks = array.chunks;
    for (std::size_t axis = 0; axis < metadata.shards.size(); ++axis) {
      if (metadata.shards[axis] % metadata.chunks[axis] == 0) continue;
      metadata.shards = {};
      return;
    }
  }

  void choose_encoding(source_array& array) {
    if (!must_encode(array)) return;
    const std::string path = source_.key(array.path, "");
    try {
      zarr_metadata metadata = zarr_array::open(source_.store, path).metadata();
      choose_chunks(array, metadata);
      metadata.dimension_separator = array.description.separator;
      metadata.dimension_names = {};
      const int format = options_.format.value_or(metadata.format);
      if (format == 2 && shards_) {
        throw value_error("--shards: Zarr v2 has no shards; ask for --format 3");
      }
      metadata = detail::in_format(std::move(metadata), format);
      if (compressor_) metadata.compressor = *compressor_;
      metadata.validate();
      metadata.complete_filters();
      array.omits_empty_chunks =
          options_.empty_chunks == "omit" ||
          (options_.empty_chunks.empty() && array.description.states_fill_value &&
           count_missing(array.description, array.files) > 0);
      array.encoded_as = std::move(metadata);
    } catch (const error& failure) {
      add_obstacle(array.path, fmt::format("its chunks must be decoded: {}", failure.what()));
    }
  }

  void find_consolidated() {
    if (options_.consolidated == "omit") return;
    for (const node& member : source_.tree.nodes) {
      if (member.kind != node_kind::group) continue;
      const bool is_asked_for = options_.consolidated == "write" && member.path.empty();
      const bool is_there =
          member.format->has_consolidated(*source_.store, source_.key(member.path, ""));
      if (!is_asked_for && !is_there) continue;
      source_.consolidated.push_back(member.path);
    }
    if (source_.consolidated.empty()) return;
    for (const node& member : source_.tree.nodes) {
      try {
        static_cast<void>(
            detail::read_attributes(*source_.store, source_.key(member.path, "")).size());
      } catch (const error& failure) {
        add_obstacle(member.path,
                     fmt::format("{}, so that it cannot be consolidated; --consolidated omit "
                                 "copies it as it is",
                                 failure.what()));
      }
    }
  }

  void refuse_obstacles() const {
    if (obstacles_.empty()) return;
    if (obstacles_.size() == 1 && obstacles_.front().first.empty()) {
      throw zarr_error(
          fmt::format("{} cannot be copied: {}", shown(options_.from), obstacles_.front().second));
    }
    std::string text = fmt::format("{} cannot be copied whole:", shown(options_.from));
    std::string skips;
    for (const auto& [path, reason] : obstacles_) {
      text += fmt::format("\n  {}: {}", path, reason);
      skips += fmt::format(" --skip {}", path);
    }
    throw zarr_error(fmt::format("{}\nall else is copied with{}", text, skips));
  }

  const copy_options& options_;
  std::optional<wanted_chunks> chunks_;
  std::optional<wanted_chunks> shards_;
  std::optional<codec::configuration> compressor_;
  std::optional<char> separator_;
  copy_source source_;
  std::vector<std::pair<std::string, std::string>> obstacles_;
};

}  // namespace

std::string copy_source::key(const std::string& path, const std::string& name) const {
  const std::string folder = path.empty() ? root : detail::node_key(root, path);
  return name.empty() ? folder : detail::node_key(folder, name);
}

std::string copy_source::identity(const copy_options& options) const {
  fingerprint hash;
  hash.add(detail::location_of_node(store, root).path);
  hash.add(store->state(root));
  for (const node& member : tree.nodes) hash.add(member.path + '\n');
  for (const source_array& array : arrays) hash.add(array.description.document);
  for (const std::string& text :
       {options.chunks.value_or(""), options.shards.value_or(""), options.compressor,
        options.missing, options.separator, options.empty_chunks, options.consolidated}) {
    hash.add(text + '\n');
  }
  if (options.format) hash.add(fmt::format("{}\n", *options.format));
  return hash.digits();
}

copy_source find_source(const copy_options& options) { return source_finder(options).find(); }

}  // namespace tessera::tool
