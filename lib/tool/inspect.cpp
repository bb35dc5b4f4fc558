// SPDX-License-Identifier: Apache-2.0

/// \file
/// Prints what a Zarr store holds, and reads every chunk of it if that is wanted.

#include "tessera/core/bytes.hpp"
#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/zarr/chunk_buffers.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "tool/commands.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera::tool {

namespace {

/// Returns "1 chunk", "2 chunks".
std::string counted(std::uint64_t count, const std::string& unit) {
  return std::to_string(count) + " " + unit + (count == 1 ? "" : "s");
}

/// What one array or many come to.
struct totals {
  std::uint64_t arrays = 0;
  std::uint64_t chunks = 0;   ///< that are stored
  std::uint64_t missing = 0;  ///< that are not stored, and read as the fill value
  std::uint64_t stored = 0;   ///< bytes
  std::uint64_t decoded = 0;  ///< bytes of the chunks that are stored

  totals& operator+=(const totals& more) {
    arrays += more.arrays;
    chunks += more.chunks;
    missing += more.missing;
    stored += more.stored;
    decoded += more.decoded;
    return *this;
  }
};

std::ostream& operator<<(std::ostream& out, const totals& sizes) {
  out << counted(sizes.chunks, "chunk");
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

/// The key of a name in a folder of a store.
std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

/// Returns the chunk that a key of an array names; nothing if it names none.
std::optional<index_vector> chunk_of(const zarr_array& array, std::string_view key) {
  if (!array.path().empty()) key.remove_prefix(array.path().size() + 1);
  if (array.rank() == 0) return key == "0" ? std::optional(index_vector{}) : std::nullopt;
  index_vector chunk;
  while (chunk.size() < array.rank()) {
    index_t index = 0;
    const auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (failure != std::errc{} || index < 0) return std::nullopt;
    if (index >= array.grid().num_chunks()[chunk.size()]) return std::nullopt;
    chunk.push_back(index);
    key.remove_prefix(static_cast<std::size_t>(end - key.data()));
    if (chunk.size() == array.rank()) break;
    if (key.empty() || key[0] != array.metadata().dimension_separator) return std::nullopt;
    key.remove_prefix(1);
  }
  return key.empty() ? std::optional(chunk) : std::nullopt;
}

/// A line on the terminal that tells how many chunks of an array have been read.
class progress_line {
 public:
  progress_line(std::string name, std::size_t total)
      : name_(std::move(name)), total_(total), is_shown_(::isatty(STDERR_FILENO) == 1) {}
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line() { clear(); }

  void show(std::size_t done) const {
    constexpr std::size_t width = 30;
    // A hundred times in all is often enough for eyes.
    if (!is_shown_ || done % (total_ / 100 + 1) != 0) return;
    std::string bar(width, ' ');
    bar.replace(0, done * width / total_, done * width / total_, '#');
    std::fprintf(stderr, "\r%s [%s] %zu/%zu", name_.c_str(), bar.c_str(), done, total_);
  }
  void clear() const {
    if (is_shown_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  std::string name_;
  std::size_t total_;
  bool is_shown_;
};

/// Walks a store, prints what it finds, and counts what is bad.
class inspector {
 public:
  explicit inspector(bool verifies) : verifies_(verifies) {}

  /// Inspects whatever is in the directory `path`; returns the number of bad things in it.
  int inspect(const std::string& path) {
    auto store = std::make_shared<filesystem_store>(path);
    std::cout << store->name() << '\n';
    if (store->list_folder("").empty()) {
      report("", "there is no store");
    } else if (has_name(*store, "", ".zarray")) {
      attempt(".zarray", [&] { show(zarr_array::open(store, ""), 1); });
    } else {
      show_group(store, "", 1);
    }
    std::cout << "total: " << counted(all_.arrays, "array") << ", " << all_ << '\n';
    if (verifies_) show_verified();
    return num_bad_;
  }

 private:
  /// Tells whether anything has the name, were it a folder or a pipe.
  static bool has_name(const key_value_store& store, const std::string& folder,
                       const std::string& name) {
    const std::vector<std::string> names = store.list_folder(folder);
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& each) { return each == name || each == name + "/"; });
  }

  void report(const std::string& key, const std::string& what) {
    ++num_bad_;
    std::cout << "BAD " << key << ": " << what << '\n';
  }

  /// Calls `f`; reports `key` where it fails.
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

  static void show(const attributes& values, int depth) {
    for (const auto& [name, value] : values) {
      std::cout << indent(depth) << "@ " << json_of(name, value) << '\n';
    }
  }

  /// Shows the members of a folder that is a group, or ought to be one.
  void show_group(const std::shared_ptr<key_value_store>& store, const std::string& path,
                  int depth) {
    attempt(joined(path, ".zgroup"),
            [&] { show(zarr_group::open(store, path).attributes(), depth); });
    // By folder, not as the group tells: one array that is bad must not hide the others.
    std::vector<std::string> names;
    attempt(path, [&] { names = store->list_folder(path); });
    for (std::string name : names) {
      if (name.back() != '/') continue;
      name.pop_back();
      const std::string inner = joined(path, name);
      std::cout << indent(depth) << name << '\n';
      if (has_name(*store, inner, ".zarray")) {
        attempt(joined(inner, ".zarray"), [&] { show(zarr_array::open(store, inner), depth + 1); });
      } else {
        show_group(store, inner, depth + 1);
      }
    }
  }

  void show(const zarr_array& array, int depth) {
    // As it is stored: a name that this program does not know is shown all the same.
    const auto metadata = attributes::parse(array.metadata().to_json());
    for (const char* name :
         {"dtype", "shape", "chunks", "fill_value", "order", "filters", "compressor"}) {
      const attribute_value* value = metadata.find(name);
      if (value != nullptr) std::cout << indent(depth) << json_of(name, *value) << '\n';
    }
    const std::vector<std::string> keys = chunk_keys(array);
    const totals sizes = sizes_of(array, keys);
    std::cout << indent(depth) << sizes << '\n';
    all_ += sizes;
    attempt(joined(array.path(), ".zattrs"), [&] { show(array.attributes(), depth); });
    if (verifies_) verify(array, keys);
  }

  /// Returns the keys of what is stored of an array; reports what is no chunk of it.
  std::vector<std::string> chunk_keys(const zarr_array& array) {
    std::vector<std::string> keys;
    for (const std::string& key : array.store()->list(array.path())) {
      const std::string name = key.substr(key.rfind('/') + 1);
      if (name.starts_with(".z")) continue;
      if (chunk_of(array, key)) {
        keys.push_back(key);
      } else {
        report(key, "no chunk of the array has this key");
      }
    }
    const bool is_nested = array.metadata().dimension_separator == '/' && array.rank() > 1;
    for (const std::string& name : array.store()->list_folder(array.path())) {
      if (name.back() == '/' && !is_nested) {
        report(joined(array.path(), name), "a folder, where only chunks may be");
      }
    }
    return keys;
  }

  totals sizes_of(const zarr_array& array, const std::vector<std::string>& keys) {
    totals sizes{.arrays = 1, .chunks = keys.size()};
    for (const std::string& key : keys) {
      attempt(key, [&] { sizes.stored += array.store()->size(key).value_or(0); });
    }
    sizes.decoded = keys.size() * array.decoded_bytes();
    sizes.missing = static_cast<std::uint64_t>(array.grid().size()) - keys.size();
    return sizes;
  }

  void show_verified() const {
    std::cout << "verified: " << counted(verified_.arrays, "array") << ", "
              << counted(verified_.chunks, "chunk") << ", " << bytes{verified_.decoded}
              << " decoded; " << counted(all_.missing, "chunk") << " missing; "
              << (num_bad_ == 0 ? "nothing"
                                : counted(static_cast<std::uint64_t>(num_bad_), "thing"))
              << " bad\n";
  }

  /// Reports chunks that are missing where nothing says what they would hold.
  void report_missing(const zarr_array& array, const std::vector<std::string>& keys) {
    const auto num_missing = array.grid().size() - static_cast<index_t>(keys.size());
    if (array.metadata().fill_value || num_missing == 0) return;
    const std::set<std::string> present(keys.begin(), keys.end());
    index_t first = 0;
    while (present.contains(array.chunk_key(array.grid().chunk_at(first)))) ++first;
    report(array.chunk_key(array.grid().chunk_at(first)),
           "missing, and the array states no fill value; missing in all: " +
               std::to_string(num_missing));
  }

  /// Reads every chunk, and goes on after those that are bad.
  void verify(const zarr_array& array, const std::vector<std::string>& keys) {
    report_missing(array, keys);
    std::optional<chunk_buffers> buffers;
    if (!attempt(joined(array.path(), ".zarray"), [&] { buffers.emplace(array); })) return;
    ++verified_.arrays;
    const progress_line progress(array.name(), keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      progress.show(i);
      try {
        (void)array.read_chunk(*chunk_of(array, keys[i]), buffers->decoded(), buffers->encoded());
        ++verified_.chunks;
        verified_.decoded += array.decoded_bytes();
      } catch (const error& failure) {
        progress.clear();
        report(keys[i], failure.what());
      }
    }
  }

  bool verifies_;
  int num_bad_ = 0;
  totals all_;
  totals verified_;
};

}  // namespace

int inspect(const inspect_options& options) {
  return inspector(options.verifies).inspect(options.path) == 0 ? 0 : 1;
}

}  // namespace tessera::tool
