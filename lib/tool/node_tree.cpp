// SPDX-License-Identifier: Apache-2.0
#include "tool/node_tree.hpp"

#include "tessera/core/error.hpp"

#include "zarr/api/array_files.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_location.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

namespace tessera::tool {

namespace {

constexpr std::size_t greatest_count = 1'000'000;

/// The names directly in a folder.
class folder_names {
 public:
  explicit folder_names(std::vector<std::string> names) : names_(std::move(names)) {}

  [[nodiscard]] auto begin() const { return names_.begin(); }
  [[nodiscard]] auto end() const { return names_.end(); }
  /// Tells whether an entry of any kind has the name.
  [[nodiscard]] bool has(std::string_view name) const {
    return std::ranges::any_of(names_, [name](std::string_view entry) {
      return entry.starts_with(name) &&
             (entry.size() == name.size() || entry.substr(name.size()) == "/");
    });
  }

 private:
  std::vector<std::string> names_;
};

class finder {
 public:
  finder(const key_value_store& store, const std::string& root) : store_(store), root_(root) {}

  /// Adds the nodes at and below `path` to `tree`. Returns false if there is no node.
  bool visit(const std::string& path, node_tree& tree) const {
    const folder_names names(store_.list_folder(key(path)));
    if (tree.nodes.size() > greatest_count) {
      throw zarr_error(fmt::format("{}: has more than {} members",
                                   detail::name_of_node(store_, root_), greatest_count));
    }
    if (const detail::node_format* format = format_of(names, path, node_kind::array)) {
      tree.nodes.push_back({path, node_kind::array, format});
      return true;
    }
    const detail::node_format* format = format_of(names, path, node_kind::group);
    const bool is_group = format != nullptr;
    if (!is_group) format = &detail::default_format();
    if (!is_group && find_damage(path, names, tree)) return false;
    const std::size_t position = tree.nodes.size();
    tree.nodes.push_back({path, is_group ? node_kind::group : node_kind::folder, format});
    node_tree below;
    visit_members(path, names, below);
    if (!is_group && below.nodes.empty() && below.bad.empty()) {
      tree.nodes.resize(position);
      if (path.empty()) tree.stray = std::move(below.stray);
      if (names.has(format->attributes_key)) {
        tree.bad.push_back({path, std::string(format->group_key),
                            fmt::format("attributes are there, and neither {} nor {}",
                                        format->array_key, format->group_key)});
      }
      return false;
    }
    append(std::move(below), tree);
    return true;
  }

 private:
  [[nodiscard]] std::string key(const std::string& path) const {
    return path.empty() ? root_ : detail::normalised_path(detail::node_key(root_, path));
  }

  /// Returns the first format with the document of a node of `kind`, or nullptr.
  [[nodiscard]] const detail::node_format* format_of(const folder_names& names,
                                                     const std::string& path,
                                                     node_kind kind) const {
    const auto detail_kind =
        kind == node_kind::array ? detail::node_kind::array : detail::node_kind::group;
    for (const detail::node_format* format : detail::formats()) {
      if (!names.has(kind == node_kind::array ? format->array_key : format->group_key)) continue;
      // The document tells an array from a group, so it is read.
      const bool is_certain = format->array_key != format->group_key;
      if (is_certain || format->has(store_, key(path), detail_kind)) return format;
    }
    return nullptr;
  }

  void visit_members(const std::string& path, const folder_names& names, node_tree& tree) const {
    for (const std::string& name : names) {
      const std::string inner = detail::node_key(path, name);
      if (name.back() != '/') {
        if (!detail::is_document(name)) tree.stray.push_back(inner);
        continue;
      }
      const std::size_t num_bad = tree.bad.size();
      const bool is_node = name.front() != '.' && visit(inner.substr(0, inner.size() - 1), tree);
      if (!is_node && tree.bad.size() == num_bad) tree.stray.push_back(inner);
    }
  }

  /// Adds a folder with chunks that is neither an array nor a group. Returns true if it is such a
  /// folder.
  bool find_damage(const std::string& path, const folder_names& names, node_tree& tree) const {
    std::vector<std::string> stray;
    if (!find_chunks(path, names, stray)) return false;
    const std::string key(detail::default_format().array_key);
    tree.bad.push_back(
        {path, key, fmt::format("chunks are there, and the {} of their array is missing", key)});
    std::ranges::move(stray, std::back_inserter(tree.stray));
    return true;
  }

  /// Tells whether files with names of chunks lie in a folder, or in folders in it with names of
  /// this form. Adds the names of other files and folders to `stray`.
  bool find_chunks(const std::string& path, const folder_names& names,
                   std::vector<std::string>& stray) const {
    bool has_chunk = false;
    for (const std::string& name : names) {
      const std::string inner = detail::node_key(path, name);
      if (!detail::is_like_chunk(std::string_view(name).substr(0, name.find('/')))) {
        if (!detail::is_document(name)) stray.push_back(inner);
      } else if (name.back() != '/') {
        has_chunk = true;
      } else {
        has_chunk |= find_chunks_below(inner.substr(0, inner.size() - 1), stray);
      }
    }
    return has_chunk;
  }
  bool find_chunks_below(const std::string& folder, std::vector<std::string>& stray) const {
    std::vector<std::string> inside;
    const bool has_chunk =
        find_chunks(folder, folder_names(store_.list_folder(key(folder))), inside);
    if (!has_chunk) inside = {folder + "/"};
    std::ranges::move(inside, std::back_inserter(stray));
    return has_chunk;
  }

  static void append(node_tree from, node_tree& to) {
    std::ranges::move(from.nodes, std::back_inserter(to.nodes));
    std::ranges::move(from.bad, std::back_inserter(to.bad));
    std::ranges::move(from.stray, std::back_inserter(to.stray));
  }

  const key_value_store& store_;
  const std::string& root_;
};

}  // namespace

node_tree find_nodes(const key_value_store& store, const std::string& root) {
  node_tree tree;
  finder(store, root).visit("", tree);
  return tree;
}

bool is_at_or_below(std::string_view path, std::string_view above) {
  if (above.empty() || path == above) return true;
  return path.starts_with(above) && path.size() > above.size() && path[above.size()] == '/';
}

}  // namespace tessera::tool
