// SPDX-License-Identifier: Apache-2.0

/// \file
/// Prints the contents of a Zarr store, and reads every chunk on request.

#include "tessera/core/bytes.hpp"
#include "tessera/core/error.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "core/api/counted.hpp"
#include "core/api/kept_memory.hpp"
#include "json/document.hpp"
#include "store/api/folder_sizes.hpp"
#include "tool/array_files.hpp"
#include "tool/commands.hpp"
#include "tool/listing_store.hpp"
#include "tool/node_tree.hpp"
#include "tool/print_json.hpp"
#include "tool/progress_line.hpp"
#include "zarr/api/hierarchy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace tessera::tool {

namespace {

/// The sums over the chunks of some arrays.
struct totals {
  std::uint64_t arrays = 0;
  std::uint64_t chunks = 0;   ///< stored chunks; a shard counts as one
  std::uint64_t shards = 0;   ///< stored chunks that are shards
  std::uint64_t missing = 0;  ///< chunks that are not stored, and read as the fill value
  std::uint64_t stored = 0;   ///< bytes
  std::uint64_t decoded = 0;  ///< bytes of the stored chunks

  totals& operator+=(const totals& sizes) {
    arrays += sizes.arrays;
    chunks += sizes.chunks;
    shards += sizes.shards;
    missing += sizes.missing;
    stored += sizes.stored;
    decoded += sizes.decoded;
    return *this;
  }
};

/// Returns "2 chunks", "2 chunks, 1 shard", "1 shard".
std::string values_of(const totals& sizes) {
  if (sizes.shards == 0) return counted(sizes.chunks, "chunk");
  const std::string shards = counted(sizes.shards, "shard");
  if (sizes.shards == sizes.chunks) return shards;
  return counted(sizes.chunks - sizes.shards, "chunk") + ", " + shards;
}

std::ostream& operator<<(std::ostream& out, const totals& sizes) {
  out << values_of(sizes);
  if (sizes.missing > 0) out << " and " << sizes.missing << " missing";
  out << ", " << bytes{sizes.stored} << " stored, " << bytes{sizes.decoded} << " decoded";
  if (sizes.stored > 0) {
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2f",
                  static_cast<double>(sizes.decoded) / static_cast<double>(sizes.stored));
    out << ", compressed " << ratio << " times";
  }
  return out;
}

/// Returns a name with its value on one line: "units": "K".
std::string json_of(const std::string& name, const attribute_value& value) {
  const std::string object = attributes{{name, value}}.to_json();
  std::string line;
  for (const char c : object.substr(1, object.size() - 2)) {
    const bool is_space = c == '\n' || c == ' ';
    if (!is_space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

using detail::node_key;

/// Prints the nodes of a store, and counts the bad ones.
class inspector {
 public:
  /// Prints nodes and findings to `nodes` and `findings`; a stream without a buffer drops them.
  inspector(bool verifies, std::ostream& nodes, std::ostream& findings)
      : verifies_(verifies), nodes_(nodes), findings_(findings) {}

  /// Inspects the array or the group at `path`. Returns the number of bad nodes, files and chunks.
  int inspect(const std::string& path) {
    const std::shared_ptr<key_value_store> stored = open_store(path);
    const std::shared_ptr<key_value_store> store = with_lists(stored, "");
    const node_tree tree = find_nodes(*store, "");
    // Throws an error that describes the file or the folder at the path.
    if (tree.nodes.empty() && tree.bad.empty()) static_cast<void>(zarr_group::open(store, ""));
    nodes_ << store->name() << '\n';
    json_["store"] = store->name();
    for (const node& member : tree.nodes) show(store, member);
    for (const bad_node& bad : tree.bad) report(node_key(bad.path, bad.file), bad.reason);
    note_stray("", tree.stray);
    // A store with lists may hold the consolidated metadata in the place of the documents.
    compare_consolidated(*stored, tree);
    nodes_ << "total: " << counted(totals_.arrays, "array") << ", " << totals_ << '\n';
    if (verifies_) show_verified();
    return num_bad_;
  }

  /// Returns nodes, findings and sums as JSON.
  [[nodiscard]] nlohmann::ordered_json json() const {
    nlohmann::ordered_json whole = json_;
    whole["total"] = sizes_json(totals_);
    if (verifies_) whole["verified"] = sizes_json(verified_);
    return whole;
  }

 private:
  static nlohmann::ordered_json sizes_json(const totals& sizes) {
    return {{"arrays", sizes.arrays},       {"chunks", sizes.chunks},
            {"shards", sizes.shards},       {"missing", sizes.missing},
            {"stored_bytes", sizes.stored}, {"decoded_bytes", sizes.decoded}};
  }

  void report(const std::string& key, const std::string& reason) {
    ++num_bad_;
    findings_ << "BAD " << key << ": " << reason << '\n';
    json_["bad"].push_back({{"key", key}, {"reason", reason}});
  }

  /// Prints a fact that harms no reader.
  void note(const std::string& key, const std::string& fact) {
    findings_ << "note " << key << ": " << fact << '\n';
    json_["notes"].push_back({{"key", key}, {"fact", fact}});
  }

  void note_stray(const std::string& path, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      note(node_key(path, name), name.starts_with(".tessera-")
                                     ? "a run that writes here goes on or was stopped"
                                     : "no part of a Zarr store");
    }
  }

  /// Calls `f`, and reports `key` if it throws.
  template <class F>
  bool attempt(const std::string& key, F f) {
    try {
      f();
      return true;
    } catch (const error& failure) {
      report(key, failure.what());
      return false;
    }
  }

  static std::string indent(int depth) {
    return std::string(2 * static_cast<std::size_t>(depth), ' ');
  }

  void show(const attributes& values, int depth) {
    json_["nodes"].back()["attributes"] = detail::parse_json(values.to_json(), "attributes");
    for (const auto& [name, value] : values) {
      nodes_ << indent(depth) << "@ " << json_of(name, value) << '\n';
    }
  }

  static const char* kind_of(const node& member) {
    if (member.kind == node_kind::array) return "array";
    return member.kind == node_kind::group ? "group" : "folder";
  }

  void show(const std::shared_ptr<key_value_store>& store, const node& member) {
    int depth = 1;
    json_["nodes"].push_back({{"path", member.path}, {"kind", kind_of(member)}});
    if (!member.path.empty()) {
      depth += static_cast<int>(std::ranges::count(member.path, '/'));
      nodes_ << indent(depth) << member.path.substr(member.path.rfind('/') + 1) << '\n';
      ++depth;
    }
    if (member.kind == node_kind::array) {
      attempt(node_key(member.path, member.format->array_key),
              [&] { show(zarr_array::open(store, member.path), depth); });
    } else {
      attempt(node_key(member.path, member.format->group_key), [&] {
        show(zarr_group::open(store, member.path, consolidated::ignore).attributes(), depth);
      });
    }
  }

  void show(const zarr_array& array, int depth) {
    // From the JSON text, which shows unknown names as well.
    const auto metadata = attributes::parse(array.metadata().to_json());
    for (const char* name :
         {"zarr_format", "dtype", "data_type", "shape", "chunks", "chunk_grid", "fill_value",
          "order", "filters", "compressor", "codecs", "dimension_names"}) {
      const attribute_value* value = metadata.find(name);
      if (value != nullptr) nodes_ << indent(depth) << json_of(name, *value) << '\n';
    }
    const array_description description = describe_array(*array.store(), array.path());
    const array_files files =
        detail::files_of_array(*array.store(), array.path(), description.names());
    const totals sizes = sizes_of(array, files);
    nodes_ << indent(depth) << sizes;
    if (has_shards(array)) {
      nodes_ << ", " << counted(array.shard_bytes() / array.decoded_bytes(), "chunk") << " a shard";
    }
    nodes_ << '\n';
    totals_ += sizes;
    json_["nodes"].back()["metadata"] =
        detail::parse_json(array.metadata().to_json(), array.name());
    json_["nodes"].back()["sizes"] = sizes_json(sizes);
    attempt(node_key(array.path(), description.format->attributes_key),
            [&] { show(array.attributes(), depth); });
    for (const std::string& name : files.outside) {
      report(node_key(array.path(), name), name.back() == '/'
                                               ? "a folder, where only chunks may be"
                                               : "no chunk of the array has this key");
    }
    note_stray(array.path(), files.stray);
    note_missing(array, description, files);
    if (verifies_) verify(array, description, files);
  }

  static bool has_shards(const zarr_array& array) { return !array.metadata().shards.empty(); }

  totals sizes_of(const zarr_array& array, const array_files& files) {
    totals sizes{.arrays = 1, .chunks = files.chunks.size()};
    if (has_shards(array)) sizes.shards = sizes.chunks;
    add_stored_bytes(array, files, sizes);
    sizes.decoded = files.chunks.size() * array.shard_bytes();
    sizes.missing = static_cast<std::uint64_t>(array.shard_grid().size()) - files.chunks.size();
    return sizes;
  }

  /// Adds the bytes of the chunks, by a list if the store's lists tell sizes.
  void add_stored_bytes(const zarr_array& array, const array_files& files, totals& sizes) {
    const key_value_store& store = *array.store();
    const auto* const lists = dynamic_cast<const detail::lists_of_sizes*>(&store);
    if (lists != nullptr) {
      const std::unordered_set<std::string> chunks(files.chunks.begin(), files.chunks.end());
      const std::size_t above = array.path().empty() ? 0 : array.path().size() + 1;
      lists->for_each_size(array.path(), [&](std::string_view key, std::uint64_t size) {
        if (chunks.contains(std::string(key.substr(above)))) sizes.stored += size;
      });
      return;
    }
    for (const std::string& name : files.chunks) {
      const std::string key = node_key(array.path(), name);
      attempt(key, [&] { sizes.stored += store.size(key).value_or(0); });
    }
  }

  /// Prints a note on missing chunks of an array without a fill value: zarr-python 3 omits chunks
  /// of zeros.
  void note_missing(const zarr_array& array, const array_description& description,
                    const array_files& files) {
    const index_t count = count_missing(description, files);
    if (description.states_fill_value || count == 0) return;
    note(node_key(array.path(), first_missing(description, files)),
         fmt::format("missing, and the array states no fill value; readers find zeros or an error; "
                     "missing in all: {}",
                     count));
  }

  /// Reports the differences between the consolidated metadata of a group and the files: readers of
  /// consolidated metadata see a different store.
  void compare_consolidated(const key_value_store& store, const node_tree& tree) {
    for (const node& group : tree.nodes) {
      const std::string key = node_key(group.path, group.format->consolidated_key);
      if (group.kind == node_kind::array) continue;
      if (!group.format->has_consolidated(store, group.path)) continue;
      attempt(key, [&] {
        const auto paths = paths_from(group, tree);
        const auto texts = group.format->differences_of_consolidated(store, group.path, paths);
        for (const std::string& text : texts) report(key, text);
      });
    }
  }

  /// Returns the paths of the nodes at and below a group, relative to the group.
  static std::vector<std::string> paths_from(const node& group, const node_tree& tree) {
    const std::size_t above = group.path.empty() ? 0 : group.path.size() + 1;
    std::vector<std::string> paths;
    for (const node& member : tree.nodes) {
      if (!is_at_or_below(member.path, group.path)) continue;
      paths.push_back(member.path.size() > above ? member.path.substr(above) : "");
    }
    return paths;
  }

  void show_verified() const {
    findings_ << "verified: " << counted(verified_.arrays, "array") << ", " << values_of(verified_)
              << ", " << bytes{verified_.decoded} << " decoded; "
              << counted(totals_.missing, "chunk") << " missing; "
              << (num_bad_ == 0 ? "nothing"
                                : counted(static_cast<std::uint64_t>(num_bad_), "thing"))
              << " bad\n";
  }

  /// Reads every chunk, and continues after a bad chunk.
  void verify(const zarr_array& array, const array_description& description,
              const array_files& files) {
    std::optional<chunk_buffers> buffers;
    const std::string key = node_key(array.path(), description.format->array_key);
    if (!attempt(key, [&] { buffers.emplace(array); })) return;
    ++verified_.arrays;
    const progress_line progress(array.name(), files.chunks.size());
    const detail::chunk_names names = description.names();
    for (std::size_t i = 0; i < files.chunks.size(); ++i) {
      progress.show(i);
      try {
        read_whole(array, *names.chunk_of(files.chunks[i]), *buffers);
        ++verified_.chunks;
        if (has_shards(array)) ++verified_.shards;
        verified_.decoded += array.shard_bytes();
      } catch (const error& failure) {
        progress.clear();
        report(node_key(array.path(), files.chunks[i]), failure.what());
      }
    }
  }

  /// Reads a chunk, or the chunks of a shard one after the other.
  static void read_whole(const zarr_array& array, const index_vector& unit,
                         chunk_buffers& buffers) {
    // The index of a shard is read once.
    const kept_memory_scope scope;
    const region chunks = array.grid().chunks_touching(array.shard_grid().chunk_region(unit));
    const index_vector count = chunks.shape();
    index_vector position(count.size());
    do {
      index_vector chunk = chunks.start;
      for (std::size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] += position[axis];
      static_cast<void>(array.read_chunk(chunk, buffers.decoded(), buffers.encoded()));
    } while (next_position(position, count));
  }

  bool verifies_;
  std::ostream& nodes_;
  std::ostream& findings_;
  nlohmann::ordered_json json_ = {{"nodes", nlohmann::ordered_json::array()},
                                  {"bad", nlohmann::ordered_json::array()},
                                  {"notes", nlohmann::ordered_json::array()}};
  int num_bad_ = 0;
  totals totals_;
  totals verified_;
};

}  // namespace

int inspect(const inspect_options& options) {
  std::ostream nowhere(nullptr);
  std::ostream& findings = options.is_json ? nowhere : std::cout;
  inspector inspection(options.verifies, options.shows_nodes ? findings : nowhere, findings);
  const bool is_good = inspection.inspect(options.path) == 0;
  if (options.is_json) print_json(inspection.json());
  return is_good ? 0 : 1;
}

}  // namespace tessera::tool
