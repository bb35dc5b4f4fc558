// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store in a directory: one file per key.

#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tessera {

namespace detail {
class unfinished_file;
}  // namespace detail

/// The treatment of the disk and the files on it by a `filesystem_store`.
struct filesystem_options {
  /// Whether a write or an erase returns only once the disk has it: the file is synced before it
  /// gets its name and the folder after, so that a power failure cannot undo it. Without it a
  /// value is still whole or absent after a crash of the process.
  bool fsync = false;
  /// Whether a key that leads out of the store through a symbolic link is refused; so is every
  /// absolute link. Each operation looks before it acts, so this guards against links in the store,
  /// not against programs that change them meanwhile. Throws store_error if the kernel has no
  /// openat2 (Linux before 5.6).
  bool refuse_outward_links = false;
};

/// A store in a directory, in the layout that every Zarr reader knows.
///
/// A value is written to a file that has no name yet, which is then linked at its location. If the
/// file system has no such files, it is written to `<file>.<writer>.partial` beside its location,
/// and renamed over it. Files named `*.partial` and `*.__lock`, which TensorStore writes, are no
/// values: they are neither read nor listed. The first write of a store object into a folder
/// removes the partial files of dead writers there. A partial file of this library on this machine
/// goes as soon as its writer's process, which its name tells, is gone. Other partial files go when
/// they are a day old. A lock with the unfinished intent of its holder stays until the next holder
/// has finished it.
///
/// Directories appear as they are needed, the store's own too; once the store has been used, a
/// store whose own directory has vanished is an error rather than a store without keys.
class filesystem_store final : public key_value_store {
 public:
  /// The scheme of its recipe, whose place is the directory's absolute path.
  static constexpr std::string_view scheme = "file";

  /// Touches nothing. A relative path is taken from the directory that is current now.
  explicit filesystem_store(std::string_view path, const filesystem_options& options = {});
  ~filesystem_store() override;

  /// Returns the store of a recipe. Throws: value_error <- the place is no absolute path, or the
  /// options are none of those above.
  [[nodiscard]] static std::shared_ptr<filesystem_store> open(const store_recipe& recipe);

  /// Returns the store's directory as an absolute path.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const filesystem_options& options() const { return options_; }

  [[nodiscard]] std::string name() const override { return path_; }
  [[nodiscard]] std::optional<store_recipe> recipe() const override;
  [[nodiscard]] store_traits traits() const override {
    return {.has_ranges = true, .has_creation = true};
  }
  /// A hash of the names, sizes and times of the files.
  [[nodiscard]] std::string state(std::string_view folder) const override;
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  /// The versions of files are unknown.
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override;
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override;
  void write(std::string_view key, std::span<const std::byte> value) override;
  /// Creates a missing key by a hard link, on which the kernel decides between several writers.
  ///
  /// Throws: store_error <- `unsupported` if `expected` is known, or the file system has no links.
  bool write_if(std::string_view key, std::span<const std::byte> value,
                const value_version& expected) override;
  /// The pieces go into a file `<file>.<writer>.partial` beside the file of the key.
  [[nodiscard]] std::unique_ptr<value_writer> writer(std::string_view key) override;
  void erase(std::string_view key) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;
  /// Locks the file `<key>.__lock`, which is there as long as somebody holds it or has left
  /// something unfinished. Its folder must be there.
  [[nodiscard]] std::unique_ptr<store_lock> lock(std::string_view key,
                                                 std::string_view intent) override;
  [[nodiscard]] std::unique_ptr<store_claim> claim(std::string_view key, std::string_view text,
                                                   const claim_judge& admit) override;

 private:
  struct memory;
  class file_writer;

  void prepare_write(std::string_view key);
  void require_inside(std::string_view path) const;
  void require_presence(std::string_view key) const;
  void clean_once(std::string_view folder);
  void sync_folders(std::string_view key, bool has_created_folders) const;
  [[nodiscard]] int open_unfinished(detail::unfinished_file& file, std::string_view key,
                                    bool& has_created_folders) const;
  [[nodiscard]] int put(std::string_view key, std::span<const std::byte> value, bool is_named,
                        bool replaces, bool& has_created_folders) const;
  [[nodiscard]] bool write_file(std::string_view key, std::span<const std::byte> value,
                                bool replaces);

  std::string path_;
  filesystem_options options_;
  /// The folders that have been seen and cleaned so far.
  std::unique_ptr<memory> memory_;
};

}  // namespace tessera
