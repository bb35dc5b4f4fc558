// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "json/scanner.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/create_array.hpp"
#include "zarr/document_reader.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <vector>

namespace tessera::detail {

namespace {

/// Copies the metadata files of the node `path`, relative to the group, from the store as it is
/// now.
void update_node(consolidated_editor& files, const node_format& format,
                 const key_value_store& store, const std::string& group, std::string_view path) {
  for (const std::string_view name : format.keys) {
    const std::string file = node_key(path, name);
    if (const auto text = read_text(store, node_key(group, file))) {
      files.set(file, *text);
    } else {
      files.erase(file);
    }
  }
}

/// A node, and the entries of the consolidated metadata that are updated for it.
struct changed_node {
  std::string path;
  /// Whether nodes below may have changed as well.
  bool with_descendants = false;
};

void update(consolidated_editor& files, const node_format& format, const key_value_store& store,
            const std::string& group, const changed_node& node) {
  for (std::string_view above = node.path;; above = folder_above(above)) {
    update_node(files, format, store, group, above);
    if (above.empty()) break;
  }
  const std::string location = node_key(group, node.path);
  const std::string root = node.path.empty() ? group : location;
  const bool is_group = has_group_node(store, root);
  // Only groups have nodes below them.
  if (!is_group || node.with_descendants) files.erase_folder(node.path, true);
  if (!is_group || !node.with_descendants) return;
  for_each_node_below(store, root, [&](const std::string& below, bool) {
    update_node(files, format, store, group, node_key(node.path, below));
  });
}

/// The consolidated metadata of a group, whose lock is held if the store has locks.
class locked_document {
 public:
  /// `path` is the path of the node about to change. Waits for the lock. Removes the document if
  /// the store has neither locks nor conditions.
  locked_document(key_value_store& store, const node_format& format, std::string_view group,
                  std::string_view path)
      : store_(store),
        format_(format),
        group_(group),
        key_(node_key(group, format.consolidated_key)),
        has_conditions_(store.traits().has_conditions) {
    const std::size_t above = group.empty() ? 0 : group.size() + 1;
    const std::string node(path.size() > above ? path.substr(above) : std::string_view());
    lock_ = store.lock(key_, node);
    if (lock_ == nullptr && !has_conditions_ && format.has_consolidated(store, group_)) {
      format_.drop_consolidated(store, group_);
    }
    if (lock_ != nullptr) {
      for (const std::string& path_of_dead : lock_->unfinished()) {
        changed_.push_back({path_of_dead, true});
      }
    }
    changed_.push_back({node, false});
  }

  [[nodiscard]] bool is_of(const key_value_store& store, const node_format& format,
                           std::string_view group) const {
    return &store_ == &store && &format_ == &format && group_ == group;
  }

  /// Removes the entries of the node and of the nodes below.
  void remove_node() {
    const std::string& node = changed_.back().path;
    change_or_remove([&](consolidated_editor& files) { files.erase_folder(node, false); }, node);
  }

  /// Brings the document up to date with the store.
  void update_all() {
    change_or_remove([&](consolidated_editor& files) {
      for (const changed_node& node : changed_) update(files, format_, store_, group_, node);
    });
    if (lock_ != nullptr) lock_->finish();
  }

 private:
  template <class Edit>
  void change_or_remove(Edit edit, std::string_view node = {}) {
    if (lock_ == nullptr && !has_conditions_) return;
    try {
      has_conditions_ ? rewrite_if_unchanged(edit, node) : rewrite(edit, node);
    } catch (const error&) {
      format_.drop_consolidated(store_, group_);
    }
  }

  /// Changes the document, as it is now, by `edit`, which touches only keys that contain `node`.
  /// Other programs do not know of the lock: if the document has changed meanwhile, `edit` is
  /// applied to the new text.
  template <class Edit>
  void rewrite(Edit edit, std::string_view node) {
    std::optional<std::string> now = read_text(store_, key_);
    while (now && may_hold(*now, node)) {
      const auto files = format_.edit_consolidated(*now, key_);
      if (files == nullptr) return;
      edit(*files);
      if (!files->is_changed()) return;
      std::optional<std::string> again = read_text(store_, key_);
      if (again == now) return write_text(store_, key_, files->text());
      now = std::move(again);
    }
  }

  /// The same, by writes on the condition that the document is the one that was read.
  template <class Edit>
  void rewrite_if_unchanged(Edit edit, std::string_view node) {
    while (const std::optional<versioned_text> now = read_versioned_text(store_, key_)) {
      if (!may_hold(now->text, node)) return;
      const auto files = format_.edit_consolidated(now->text, key_);
      if (files == nullptr) return;
      edit(*files);
      if (!files->is_changed()) return;
      if (!now->version.is_known()) {
        throw store_error("the version of key \"" + key_ + "\" is unknown",
                          store_failure::unsupported);
      }
      if (write_text_if(store_, key_, files->text(), now->version)) return;
    }
  }

  key_value_store& store_;
  const node_format& format_;
  std::string group_;
  std::string key_;
  bool has_conditions_;
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
  /// The canonical name of the group: equal for all paths that lead to it.
  std::string location;

  /// `documents` is the view of the store's documents at the moment.
  [[nodiscard]] bool is_consolidated(const key_value_store& documents,
                                     const node_format& format) const {
    return format.has_consolidated(documents, group);
  }

  /// Tells whether the document that changes is the one that a consolidation writes, too: of a
  /// group of version 3.
  [[nodiscard]] bool shares_document(const key_value_store& documents,
                                     const node_format& format) const {
    return group == node && format.consolidated_key == format.group_key &&
           format.has(documents, group, node_kind::group);
  }
};

/// The documents of groups as they are when the object is made, by store.
class documents_now {
 public:
  /// `known` is a view of the store `of`, or nullptr.
  explicit documents_now(const std::vector<group_above>& groups,
                         const key_value_store* known = nullptr,
                         const key_value_store* of = nullptr) {
    for (const group_above& above : groups) {
      const bool is_known = known != nullptr && above.store == of;
      readers_.try_emplace(above.store, is_known ? *known : *above.store, above.node,
                           names_of_consolidated_documents(), with_nodes_above);
    }
  }
  [[nodiscard]] const key_value_store& of(const group_above& above) const {
    return readers_.at(above.store);
  }

 private:
  std::map<const key_value_store*, document_reader> readers_;
};

/// The groups at and above a node, in the order in which every process takes their locks.
///
/// If the path of the node leads through symbolic links, the groups above the target of the links
/// are included: they hold the node, too.
class groups_above {
 public:
  groups_above(key_value_store& store, std::string_view path) : store_(&store) {
    const std::optional<std::string> directory = directory_of(store);
    add(store, directory.value_or(""), path);
    if (directory) {
      const std::string written = folder_of(*directory, path);
      const std::string location = location_of_directory(written).path;
      if (location != written) {
        behind_links_ = locate(location);
        const auto root = directory_of(*behind_links_->store);
        if (root) add(*behind_links_->store, *root, behind_links_->path);
      }
    }
    std::ranges::sort(groups_, {}, &group_above::location);
    const auto is_same = [](const group_above& a, const group_above& b) {
      return a.location == b.location;
    };
    groups_.erase(std::unique(groups_.begin(), groups_.end(), is_same), groups_.end());
  }

  /// Locks the existing consolidated metadata, and the documents that a consolidation would change
  /// along with them. `known` is a view of the store that may be older, or nullptr.
  [[nodiscard]] documents lock(const key_value_store* known = nullptr) const {
    documents locked;
    const documents_now stored(groups_, known, store_);
    for (const group_above& above : groups_) {
      for (const node_format* format : formats()) {
        const bool is_consolidated = above.is_consolidated(stored.of(above), *format);
        if (!is_consolidated && !above.shares_document(stored.of(above), *format)) continue;
        try {
          locked.push_back(
              std::make_unique<locked_document>(*above.store, *format, above.group, above.node));
        } catch (const store_error&) {
          // A group that cannot be written is not consolidated meanwhile; it may be opened.
          if (is_consolidated) throw;
        }
      }
    }
    return locked;
  }

  /// Tells whether there are consolidated metadata that are not in `locked`.
  [[nodiscard]] bool has_unlocked(const documents& locked) const {
    const documents_now stored(groups_);
    const auto is_unlocked = [&](const group_above& above, const node_format& format) {
      const bool is_locked = std::ranges::any_of(locked, [&](const auto& document) {
        return document->is_of(*above.store, format, above.group);
      });
      return !is_locked && above.is_consolidated(stored.of(above), format);
    };
    return std::ranges::any_of(groups_, [&](const group_above& above) {
      return std::ranges::any_of(
          formats(), [&](const node_format* format) { return is_unlocked(above, *format); });
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
      std::string location = folder_of(root, group);
      if (!root.empty()) location = location_of_directory(location).path;
      groups_.push_back({&store, std::string(group), std::string(path), std::move(location)});
      if (group.empty()) break;
    }
  }

  const key_value_store* store_;
  std::optional<zarr_location> behind_links_;
  std::vector<group_above> groups_;
};

}  // namespace

void change_metadata(key_value_store& store, std::string_view path, old_node old,
                     const std::function<void()>& change) {
  change_metadata(store, nullptr, path, old, change);
}

void change_metadata(key_value_store& store, const key_value_store* known, std::string_view path,
                     old_node old, const std::function<void()>& change) {
  // The metadata that a handle remembers may be older than the stored ones.
  const groups_above groups(truth_of(store), path);
  documents locked = groups.lock(known);
  std::exception_ptr failure;
  try {
    if (old == old_node::goes) {
      for (const auto& document : locked) document->remove_node();
    }
    change();
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    for (const auto& document : locked) document->update_all();
    // Another process may have consolidated meanwhile, from files before the change.
    const bool has_more = groups.has_unlocked(locked);
    locked.clear();
    if (has_more) locked = groups.lock();
    for (const auto& document : locked) document->update_all();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  if (failure) std::rethrow_exception(failure);
}

namespace {

/// Returns the documents of a group and of the nodes below it, as they are now.
metadata_files files_below(const key_value_store& store, const node_format& format,
                           const std::string& group) {
  metadata_files files;
  const auto add = [&](const std::string& node) {
    for (const std::string_view name : format.keys) {
      const std::string file = node_key(node, name);
      if (auto text = read_text(store, node_key(group, file))) {
        files.emplace(file, *std::move(text));
      }
    }
  };
  add("");
  for_each_node_below(store, group, [&](const std::string& node, bool) { add(node); });
  return files;
}

/// Writes the consolidated metadata of `files`. In version 3 they are a member of the group's own
/// document: if that is another one by now, nothing is written, and false is returned.
bool write_files(key_value_store& store, const node_format& format, const std::string& group,
                 const metadata_files& files) {
  const std::string key = node_key(group, format.consolidated_key);
  const std::string text = format.format_consolidated(files);
  const auto document = files.find(std::string(format.consolidated_key));
  if (document == files.end()) {
    write_text(store, key, text);
    return true;
  }
  if (!store.traits().has_conditions) {
    if (read_text(store, key) != document->second) return false;
    write_text(store, key, text);
    return true;
  }
  const std::optional<versioned_text> now = read_versioned_text(store, key);
  return now && now->text == document->second && replace_text(store, key, text, now->version);
}

}  // namespace

void write_consolidated(key_value_store& store, const std::string& path) {
  const auto group = find_node(store, path, node_kind::group);
  const node_format& format = group ? *group->format : default_format();
  const std::unique_ptr<store_lock> lock = store.lock(node_key(path, format.consolidated_key), "");
  metadata_files files = files_below(store, format, path);
  while (true) {
    const bool is_written = write_files(store, format, path, files);
    // A writer looks for this file after its change. A change before the file existed shows in the
    // second reading here; the writer of a later change updates the file itself.
    metadata_files again = files_below(store, format, path);
    if (is_written && again == files) break;
    files = std::move(again);
  }
  if (lock != nullptr) lock->finish();
}

}  // namespace tessera::detail
