// SPDX-License-Identifier: Apache-2.0
#include "tool/node_tree.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"

#include "tool/array_files.hpp"

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
  /// Tells whether anything has the name, be it a folder or a pipe.
  [[nodiscard]] bool has(std::string_view name) const {
    return std::ranges::any_of(names_, [name](std::string_view entry) {
      return entry.starts_with(name) &&
             (entry.size() == name.size() || entry.substr(name.size()) == "/");
    });
  }
  [[nodiscard]] bool has_chunk() const {
    return std::ranges::any_of(names_, [](std::string_view entry) {
      return is_like_chunk(entry.substr(0, entry.find('/')));
    });
  }

 private:
  std::vector<std::string> names_;
};

bool is_metadata(std::string_view name) {
  return name == ".zgroup" || name == ".zattrs" || name == ".zmetadata";
}

class finder {
 public:
  finder(const key_value_store& store, const std::string& root) : store_(store), root_(root) {}

  /// Adds the nodes at and below `path` to `tree`; returns false if there is none.
  bool visit(const std::string& path, node_tree& tree) const {
    const folder_names names(store_.list_folder(key(path)));
    if (tree.nodes.size() > greatest_count) {
      throw zarr_error(fmt::format("{}: has more than {} members",
                                   detail::name_of_node(store_, root_), greatest_count));
    }
    if (names.has(".zarray")) {
      tree.nodes.push_back({path, node_kind::array});
      return true;
    }
    const bool is_group = names.has(".zgroup");
    if (!is_group && find_damage(path, names, tree)) return false;
    const std::size_t position = tree.nodes.size();
    tree.nodes.push_back({path, is_group ? node_kind::group : node_kind::folder});
    node_tree below;
    visit_members(path, names, below);
    if (!is_group && below.nodes.empty() && below.bad.empty()) {
      tree.nodes.resize(position);
      if (path.empty()) tree.stray = std::move(below.stray);
      if (names.has(".zattrs")) {
        tree.bad.push_back(
            {path, ".zgroup", "attributes are there, and neither .zarray nor .zgroup"});
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

  void visit_members(const std::string& path, const folder_names& names, node_tree& tree) const {
    for (const std::string& name : names) {
      const std::string inner = detail::node_key(path, name);
      if (name.back() != '/') {
        if (!is_metadata(name)) tree.stray.push_back(inner);
        continue;
      }
      const std::size_t num_bad = tree.bad.size();
      const bool is_node = name.front() != '.' && visit(inner.substr(0, inner.size() - 1), tree);
      if (!is_node && tree.bad.size() == num_bad) tree.stray.push_back(inner);
    }
  }

  /// Adds a folder that is neither an array nor a group although a Zarr writer made it.
  static bool find_damage(const std::string& path, const folder_names& names, node_tree& tree) {
    if (names.has("zarr.json")) {
      tree.bad.push_back({path, "zarr.json",
                          "it is of Zarr v3, which is not supported; write it as Zarr v2, in "
                          "Python with zarr_format=2"});
      return true;
    }
    if (names.has_chunk()) {
      tree.bad.push_back(
          {path, ".zarray", "chunks are there, and the .zarray of their array is missing"});
      return true;
    }
    return false;
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
