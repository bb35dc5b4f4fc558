// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "zarr/consolidated_metadata.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/json_scanner.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <vector>

namespace tessera::detail {

namespace {

constexpr std::array metadata_names{".zarray", ".zattrs", ".zgroup"};

/// Makes the files of the node `path`, relative to the group, what the store has now.
void update_node(consolidated_text& files, const key_value_store& store, const std::string& group,
                 std::string_view path) {
  for (const char* name : metadata_names) {
    const std::string file = node_key(path, name);
    if (const auto text = read_text(store, node_key(group, file))) {
      files.set(file, *text);
    } else {
      files.erase(file);
    }
  }
}

/// A path and what is to be made true there.
struct changed_node {
  std::string path;
  /// Whether what is below may have changed as well.
  bool with_all_below = false;
};

void update(consolidated_text& files, const key_value_store& store, const std::string& group,
            const changed_node& node) {
  for (std::string_view above = node.path;; above = folder_above(above)) {
    update_node(files, store, group, above);
    if (above.empty()) break;
  }
  const std::string place = node_key(group, node.path);
  const std::string root = node.path.empty() ? group : place;
  const bool is_group = store.exists(node_key(root, ".zgroup"));
  // Only groups have nodes below them.
  if (!is_group || node.with_all_below) files.erase_folder(node.path, true);
  if (!is_group || !node.with_all_below) return;
  for_each_node_below(store, root, [&](const std::string& below, bool) {
    update_node(files, store, group, node_key(node.path, below));
  });
}

/// The consolidated metadata of a group, whose lock is held.
class locked_document {
 public:
  /// `path` is that of the node about to change. Waits for the lock.
  locked_document(key_value_store& store, std::string_view group, std::string_view path)
      : store_(store), group_(group), key_(node_key(group, ".zmetadata")) {
    const std::size_t above = group.empty() ? 0 : group.size() + 1;
    const std::string node(path.size() > above ? path.substr(above) : std::string_view());
    lock_ = store.lock(key_, node);
    if (lock_ == nullptr) {
      store.erase(key_);
      return;
    }
    for (const std::string& left : lock_->unfinished()) changed_.push_back({left, true});
    changed_.push_back({node, false});
  }

  [[nodiscard]] bool is_of(const key_value_store& store, std::string_view group) const {
    return &store_ == &store && group_ == group;
  }

  /// Takes out what is at the path and below it.
  void take_out() {
    const std::string& node = changed_.back().path;
    change_or_remove([&](consolidated_text& files) { files.erase_folder(node); }, node);
  }

  /// Makes the document what the store has.
  void update_all() {
    change_or_remove([&](consolidated_text& files) {
      for (const changed_node& each : changed_) update(files, store_, group_, each);
    });
    if (lock_ != nullptr) lock_->finish();
  }

 private:
  template <class Edit>
  void change_or_remove(Edit edit, std::string_view what = {}) {
    if (lock_ == nullptr) return;
    try {
      rewrite(edit, what);
    } catch (const error&) {
      store_.erase(key_);
    }
  }

  /// Changes the document, as it is now, by `edit`. Others do not know of the lock: what they wrote
  /// meanwhile is changed in its turn. `edit` changes nothing but what has `what` in its key.
  template <class Edit>
  void rewrite(Edit edit, std::string_view what) {
    std::optional<std::string> now = read_text(store_, key_);
    while (now && may_hold(*now, what)) {
      consolidated_text files(*now, key_);
      edit(files);
      if (!files.is_changed()) return;
      std::optional<std::string> again = read_text(store_, key_);
      if (again == now) return write_text(store_, key_, files.text());
      now = std::move(again);
    }
  }

  key_value_store& store_;
  std::string group_;
  std::string key_;
  std::unique_ptr<store_lock> lock_;
  std::vector<changed_node> changed_;
};

using documents = std::vector<std::unique_ptr<locked_document>>;

/// A group at or above a node that changes.
struct group_above {
  key_value_store* store = nullptr;
  std::string group;
  /// The path of the node in the store.
  std::string node;
  /// The same for all ways to name the group.
  std::string place;

  [[nodiscard]] bool is_consolidated() const {
    return store->exists(node_key(group, ".zmetadata"));
  }
};

/// The groups at and above a node, in the order in which everybody takes their locks.
///
/// Where the way to the node leads through links, those above the place to which they lead are
/// among them: they hold the node, too.
class groups_above {
 public:
  groups_above(key_value_store& store, std::string_view path) {
    const std::optional<std::string> directory = directory_of(store);
    add(store, directory.value_or(""), path);
    if (directory) {
      const std::string written = folder_of(*directory, path);
      const std::string place = place_of_directory(written).path;
      if (place != written) {
        behind_links_ = locate(place);
        const auto root = directory_of(*behind_links_->store);
        if (root) add(*behind_links_->store, *root, behind_links_->path);
      }
    }
    std::ranges::sort(groups_, {}, &group_above::place);
    const auto is_same = [](const group_above& a, const group_above& b) {
      return a.place == b.place;
    };
    groups_.erase(std::unique(groups_.begin(), groups_.end(), is_same), groups_.end());
  }

  /// Locks the consolidated metadata that there are.
  [[nodiscard]] documents lock() const {
    documents locked;
    for (const group_above& each : groups_) {
      if (!each.is_consolidated()) continue;
      locked.push_back(std::make_unique<locked_document>(*each.store, each.group, each.node));
    }
    return locked;
  }

  /// Tells whether there are consolidated metadata beside those that are locked.
  [[nodiscard]] bool has_others(const documents& locked) const {
    return std::ranges::any_of(groups_, [&](const group_above& each) {
      const bool is_locked = std::ranges::any_of(
          locked, [&](const auto& document) { return document->is_of(*each.store, each.group); });
      return !is_locked && each.is_consolidated();
    });
  }

 private:
  /// Returns the path of a folder of the store in the directory `root`.
  static std::string folder_of(const std::string& root, std::string_view folder) {
    return folder.empty() ? root : node_key(root, folder);
  }

  /// `root` is the directory of the store, if it is in one.
  void add(key_value_store& store, const std::string& root, std::string_view path) {
    for (std::string_view group = path;; group = folder_above(group)) {
      std::string place = folder_of(root, group);
      if (!root.empty()) place = place_of_directory(place).path;
      groups_.push_back({&store, std::string(group), std::string(path), std::move(place)});
      if (group.empty()) break;
    }
  }

  std::optional<zarr_location> behind_links_;
  std::vector<group_above> groups_;
};

}  // namespace

void change_metadata(key_value_store& store, std::string_view path, old_node old,
                     const std::function<void()>& change) {
  // What a handle remembers may be older than what the store has.
  const groups_above groups(truth_of(store), path);
  documents locked = groups.lock();
  std::exception_ptr failure;
  try {
    if (old == old_node::goes) {
      for (const auto& each : locked) each->take_out();
    }
    change();
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    for (const auto& each : locked) each->update_all();
    // Somebody may have consolidated meanwhile, and not have seen the change.
    const bool has_more = groups.has_others(locked);
    locked.clear();
    if (has_more) locked = groups.lock();
    for (const auto& each : locked) each->update_all();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  if (failure) std::rethrow_exception(failure);
}

void write_consolidated(key_value_store& store, const std::string& path) {
  const auto files_now = [&] {
    metadata_files files;
    const auto add = [&](const std::string& node) {
      for (const char* name : metadata_names) {
        const std::string file = node_key(node, name);
        if (auto text = read_text(store, node_key(path, file))) {
          files.emplace(file, *std::move(text));
        }
      }
    };
    add("");
    for_each_node_below(store, path, [&](const std::string& node, bool) { add(node); });
    return files;
  };
  const std::string key = node_key(path, ".zmetadata");
  const std::unique_ptr<store_lock> lock = store.lock(key, "");
  metadata_files files = files_now();
  while (true) {
    write_text(store, key, format_consolidated(files));
    // Who changes something looks for this file afterwards: what was changed before it was there is
    // found here, what is changed later is brought in by whoever changes it.
    metadata_files again = files_now();
    if (again == files) break;
    files = std::move(again);
  }
  if (lock != nullptr) lock->finish();
}

}  // namespace tessera::detail
