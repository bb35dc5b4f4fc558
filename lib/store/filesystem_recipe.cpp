// SPDX-License-Identifier: Apache-2.0
/// \file
/// The recipe of a store in a directory, and the fingerprint of its state.

#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"

#include "core/api/fingerprint.hpp"
#include "store/api/partial_state.hpp"
#include "store/api/posix_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace tessera {

namespace {

/// An option and its name in a recipe.
struct named_option {
  std::string_view name;
  bool filesystem_options::*is_set;
};

constexpr std::array<named_option, 2> named_options{
    {{"fsync", &filesystem_options::fsync},
     {"refuse_outward_links", &filesystem_options::refuse_outward_links}}};

std::string text_of(const filesystem_options& options) {
  std::string text;
  for (const auto& [name, is_set] : named_options) {
    if (!(options.*is_set)) continue;
    if (!text.empty()) text += '&';
    text += name;
  }
  return text;
}

filesystem_options parse_options(std::string_view text) {
  filesystem_options options;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find('&'));
    const auto* const option = std::ranges::find(named_options, name, &named_option::name);
    if (option == named_options.end()) {
      throw value_error(fmt::format(
          "a store in a directory has the options \"fsync\" and \"refuse_outward_links\", found "
          "\"{:.40}\"",
          name));
    }
    options.*(option->is_set) = true;
    text.remove_prefix(std::min(name.size() + 1, text.size()));
  }
  return options;
}

}  // namespace

std::shared_ptr<filesystem_store> filesystem_store::open(const store_recipe& recipe) {
  if (!recipe.place.starts_with('/')) {
    throw value_error(
        fmt::format("the store \"file://{:.200}\": the path must be absolute, as in \"file:///data/"
                    "a.zarr\"; write a relative one without \"file://\"",
                    recipe.place));
  }
  return std::make_shared<filesystem_store>(recipe.place, parse_options(recipe.options));
}

std::optional<store_recipe> filesystem_store::recipe() const {
  return store_recipe{std::string(scheme), path_, text_of(options_)};
}

namespace {

/// A sum of the hashes of files, which does not depend on the order of the files.
struct sum_of_files {
  std::array<std::uint64_t, 2> sum{};
  std::size_t count = 0;

  void add(const sum_of_files& part) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part.sum[i];
    count += part.count;
  }
};

/// Returns the sum of the files `names`, each ended by a NUL, in a folder, whose path from the top
/// folder is `path`. Files that have vanished meanwhile are skipped.
sum_of_files sum_of(int folder, const std::string& path, const std::string& names) {
  sum_of_files files;
  fmt::memory_buffer text;
  for (std::size_t at = 0; at < names.size();) {
    const std::string_view name = names.c_str() + at;
    at += name.size() + 1;
    struct stat status {};
    if (::fstatat(folder, name.data(), &status, 0) != 0 || !S_ISREG(status.st_mode)) continue;
    text.clear();
    fmt::format_to(std::back_inserter(text), "{}{}\n{} {} {}", path, name, status.st_size,
                   status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    files.add({fingerprint::words_of({text.data(), text.size()}), 1});
  }
  return files;
}

/// Sums up the files in and below a folder. Large folders are split over several threads, because a
/// network file system answers many requests in the time of one.
class summing {
 public:
  explicit summing(const detail::counted_key& counts) : counts_(counts) {}

  /// Adds the files of `folder`, whose path from the top folder is `path`. Symbolic links to
  /// folders are not followed.
  void add_folder(const std::string& folder, const std::string& path) {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), &::closedir);
    if (entries == nullptr) {
      if (!path.empty() && detail::is_missing(errno)) return;
      throw_failure(folder);
    }
    const int descriptor = ::dirfd(entries.get());
    std::deque<std::future<sum_of_files>> asked;  // gone before the folder is closed
    const auto take_first = [&] {
      files_.add(asked.front().get());
      asked.pop_front();
    };
    std::string names;
    std::string key;  // keeps its memory: a folder may have millions of files
    while (const dirent* entry = next_of(*entries, folder)) {
      const std::string_view last = entry->d_name;
      if (last == "." || last == "..") continue;
      struct stat status {};
      const bool may_be_folder = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
      if (may_be_folder &&
          ::fstatat(descriptor, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISDIR(status.st_mode)) {
        add_folder(fmt::format("{}/{}", folder, last), fmt::format("{}{}/", path, last));
        continue;
      }
      if (last.starts_with('.') || !counts_(key.assign(path).append(last))) continue;
      names.append(last).push_back('\0');
      if (names.size() < most_names) continue;
      if (asked.size() == most_asked) take_first();
      asked.push_back(std::async(sum_of, descriptor, path, std::move(names)));
      names.clear();
    }
    files_.add(sum_of(descriptor, path, names));
    while (!asked.empty()) take_first();
  }

  [[nodiscard]] std::string text() const {
    return fmt::format("{} {:x} {:x}\n", files_.count, files_.sum[0], files_.sum[1]);
  }

 private:
  static constexpr std::size_t most_names = 65'536;  // bytes, the names of some thousand files
  static constexpr std::size_t most_asked = 8;

  static const dirent* next_of(DIR& entries, const std::string& folder) {
    errno = 0;
    const dirent* const entry = ::readdir(&entries);
    if (entry == nullptr && errno != 0) throw_failure(folder);
    return entry;
  }

  [[noreturn]] static void throw_failure(const std::string& folder) {
    const std::error_code failure(errno, std::generic_category());
    throw store_error(fmt::format("{}: cannot list its chunks: {}", folder, failure.message()));
  }

  const detail::counted_key& counts_;
  sum_of_files files_;
};

}  // namespace

std::string detail::state_of_files(const std::string& folder, const counted_key& counts) {
  summing files(counts);
  files.add_folder(folder, "");
  return files.text();
}

std::string filesystem_store::state(std::string_view folder) const {
  validate_folder(folder);
  require_inside(folder);
  return detail::state_of_files(folder.empty() ? path_ : fmt::format("{}/{}", path_, folder),
                                [](std::string_view) { return true; });
}

}  // namespace tessera
