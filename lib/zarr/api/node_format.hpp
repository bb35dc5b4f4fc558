// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The documents that describe arrays and groups in a store, by format.
///
/// Code outside of `lib/zarr/v2` and `lib/zarr/v3` names no document: it asks for the kind of a
/// node, for the documents of a node, or for the names that a format has. A format is a value. A
/// further format is a function that returns one, and a line in `formats`.

#include "tessera/core/index.hpp"
#include "tessera/storage/attributes.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

enum class node_kind : std::uint8_t { none, array, group };

/// The texts of some documents of a node, by their names: ".zarray".
using node_texts = std::map<std::string, std::string, std::less<>>;

/// Texts of documents of several nodes by their keys, relative to a group: "u/.zarray". Each text
/// is a JSON object; its members are not validated.
using metadata_files = std::map<std::string, std::string, std::less<>>;

/// The dimensions of an array of any data type and codec.
struct array_dimensions {
  index_vector shape;
  /// Empty, or a name for each axis.
  std::vector<std::string> names;
};

/// The members of an array's document that determine the keys of chunks.
struct array_outline {
  array_dimensions dimensions;
  /// The extents of a chunk with a key of its own: of a shard, if there are any.
  index_vector chunks;
  /// The extents of a part of a shard; empty without shards, and if the codecs are not supported.
  index_vector parts = {};
  char separator = '.';
  chunk_key_style key_style = chunk_key_style::plain;
  bool states_fill_value = false;
};

/// The text of consolidated metadata, of which a few files are changed. All other bytes stay as
/// their writer left them.
class consolidated_editor {
 public:
  consolidated_editor() = default;
  consolidated_editor(const consolidated_editor&) = delete;
  consolidated_editor& operator=(const consolidated_editor&) = delete;
  virtual ~consolidated_editor() = default;

  /// Sets the text of the file `key`. Throws: zarr_error <- `text` is no JSON object.
  virtual void set(std::string_view key, std::string_view text) = 0;
  virtual void erase(std::string_view key) = 0;
  /// Removes the files in the folder `node` and below it; with `keeps_node`, only below it.
  virtual void erase_folder(std::string_view node, bool keeps_node) = 0;

  /// Tells whether `text()` differs from the original text.
  [[nodiscard]] virtual bool is_changed() const = 0;
  [[nodiscard]] virtual std::string text() const = 0;
};

/// The documents of a format: their names, their meaning, their requests to a store.
///
/// Texts are read as they are and written as ASCII. A text of attributes is a JSON object; the text
/// "{}" states no attributes.
struct node_format {
  int number = 0;
  /// The names of the documents of any node, without consolidated metadata.
  std::span<const std::string_view> keys;
  /// The names of the documents of an array, of a group: `array_key` and `group_key` are the last.
  std::span<const std::string_view> array_keys;
  std::span<const std::string_view> group_keys;
  /// The name of the document without which no array, no group is there.
  std::string_view array_key;
  std::string_view group_key;
  std::string_view attributes_key;
  /// The name of the document of a group that holds the documents of all nodes below.
  std::string_view consolidated_key;

  /// Tells whether a node of `kind` is at `path`. A folder may be both, by an accident.
  bool (*has)(const key_value_store& store, std::string_view path, node_kind kind);
  /// Returns the document that makes `path` a node of `kind`, or nullopt if it is no such node.
  std::optional<node_texts> (*read)(const key_value_store& store, std::string_view path,
                                    node_kind kind);
  /// Returns the attributes of the node at `path`, or nullopt if they are not there. `texts` are
  /// documents of the node that have been read already, or none. A fault of the document is
  /// reported when the attributes are used.
  std::optional<attributes> (*read_attributes)(const key_value_store& store, std::string_view path,
                                               const node_texts& texts);

  /// As `read_attributes`, of `names` alone, and of documents that have been read. Null if
  /// attributes have a document of their own.
  attributes (*select_attributes)(const node_texts& texts,
                                  std::span<const std::string_view> names) = nullptr;

  /// Returns the metadata of an array's documents. Throws: as `zarr_metadata::parse`.
  zarr_metadata (*parse_array)(const node_texts& texts);
  /// Throws: zarr_error <- the documents are no documents of a group; `name` is its name.
  void (*require_group)(const node_texts& texts, const std::string& name);
  /// Returns the dimensions of an array's documents. Throws: error <- they are malformed.
  array_dimensions (*dimensions)(const node_texts& texts);
  /// Returns the outline of an array of `values`. Throws: error <- its document is malformed.
  array_outline (*outline)(std::string_view text, const attributes& values);
  /// Returns an array's document with another separator in the keys of chunks; other bytes stay.
  std::string (*with_separator)(std::string_view text, char separator);

  /// Writes the documents of a new array. `description` is the text of its metadata.
  void (*write_array)(key_value_store& store, std::string_view path, std::string_view description,
                      std::string_view values);
  /// Writes the documents of a new group.
  void (*write_group)(key_value_store& store, std::string_view path, std::string_view values);
  /// Replaces the metadata of an array; its attributes stay.
  void (*write_metadata)(key_value_store& store, std::string_view path,
                         std::string_view description);
  /// Replaces the attributes of a node; its other documents stay.
  void (*write_attributes)(key_value_store& store, std::string_view path, std::string_view values);

  /// Tells whether the group at `path` has consolidated metadata.
  bool (*has_consolidated)(const key_value_store& store, std::string_view path);
  /// Returns the documents in the text of the document `consolidated_key`, or nullopt if it has
  /// none; messages call it `document`.
  ///
  /// Throws: zarr_error <- it is malformed.
  std::optional<metadata_files> (*parse_consolidated)(std::string_view text,
                                                      std::string_view document);
  /// Returns the text of `consolidated_key` that holds the documents of a group and all nodes
  /// below.
  ///
  /// Throws: zarr_error <- one of them is no JSON object.
  std::string (*format_consolidated)(const metadata_files& files);
  /// Returns an editor of the text of `consolidated_key`, or a null pointer if it has no documents.
  ///
  /// Throws: as `parse_consolidated`.
  std::unique_ptr<consolidated_editor> (*edit_consolidated)(std::string text,
                                                            std::string_view document);
  /// Removes the consolidated metadata of the group at `path`.
  void (*drop_consolidated)(key_value_store& store, std::string_view path);
  /// Returns a sentence for each difference between the consolidated metadata of `group` and the
  /// documents of the nodes at `paths`, each relative to the group and "" for the group. The order
  /// of members does not count.
  ///
  /// Throws: zarr_error <- the consolidated metadata are malformed.
  std::vector<std::string> (*differences_of_consolidated)(const key_value_store& store,
                                                          const std::string& group,
                                                          const std::vector<std::string>& paths);
};

/// Returns all formats. In a folder with documents of several, the first one counts.
[[nodiscard]] std::span<const node_format* const> formats();

/// Returns the format of a number. Throws: zarr_error <- there is no such format.
[[nodiscard]] const node_format& format_of(int number);

/// Returns the format of a new node unless another one is asked for.
[[nodiscard]] const node_format& default_format();

/// A node in a store.
struct stored_node {
  node_kind kind = node_kind::none;
  const node_format* format = nullptr;
  /// The document that makes it a node of its kind.
  node_texts texts;
};

/// Returns the node of `kind` at `path`, or nullopt if there is none. One request for each format.
[[nodiscard]] std::optional<stored_node> find_node(const key_value_store& store,
                                                   std::string_view path, node_kind kind);

/// Tells whether a node of `kind` is at `path`.
[[nodiscard]] bool has_node(const key_value_store& store, std::string_view path, node_kind kind);

[[nodiscard]] inline bool has_array_node(const key_value_store& store, std::string_view path) {
  return has_node(store, path, node_kind::array);
}

[[nodiscard]] inline bool has_group_node(const key_value_store& store, std::string_view path) {
  return has_node(store, path, node_kind::group);
}

/// Returns the kind of the node at `path`. A folder that is both an array and a group is an array.
[[nodiscard]] node_kind kind_of_node(const key_value_store& store, std::string_view path);

/// Returns the format of a new node at `path`: the format of the group above it, else `otherwise`.
[[nodiscard]] const node_format& format_for(const key_value_store& store, std::string_view path,
                                            const node_format& otherwise);

/// Throws value_error if the group above `path` is not of `format`: a group has one format.
void require_format_above(const key_value_store& store, std::string_view path,
                          const node_format& format);

/// Returns the metadata of an array in the format of a number. Details that it cannot state are
/// left out: shards and names in version 2, and the layout unless it is row-major or column-major.
[[nodiscard]] zarr_metadata in_format(zarr_metadata metadata, int number);

/// Returns the names of the documents of an array or a group: "zarr.json and .zarray".
[[nodiscard]] std::string names_of_documents(node_kind kind, std::string_view conjunction);

/// Tells whether a file of this name is a document of a node, in any format.
[[nodiscard]] bool is_node_document(std::string_view name);

/// Tells whether a file of this name is a document of a node, or holds consolidated metadata.
[[nodiscard]] bool is_document(std::string_view name);

}  // namespace tessera::detail
