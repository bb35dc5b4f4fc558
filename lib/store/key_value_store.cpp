// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/key_value_store.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/fingerprint.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <mutex>

namespace tessera {

/// Who holds locks of a store in memory, and what was left unfinished under them.
struct key_value_store::turns {
  // A holder may take the locks of several keys.
  std::recursive_mutex mutex;
  std::map<std::string, std::vector<std::string>, std::less<>> announced;

  /// The lock of one key.
  class turn final : public store_lock {
   public:
    turn(turns& all, std::string_view key, std::string_view intent)
        : lock_(all.mutex), all_(all), key_(key), unfinished_(all.announced[key_]) {
      all.announced[key_].emplace_back(intent);
    }
    [[nodiscard]] const std::vector<std::string>& unfinished() const override {
      return unfinished_;
    }
    void finish() override { all_.announced.erase(key_); }

   private:
    std::lock_guard<std::recursive_mutex> lock_;
    turns& all_;
    std::string key_;
    std::vector<std::string> unfinished_;
  };
};

key_value_store::key_value_store() : turns_(std::make_unique<turns>()) {}
key_value_store::~key_value_store() = default;

std::unique_ptr<store_lock> key_value_store::lock(std::string_view key, std::string_view intent) {
  validate_key(key);
  return std::make_unique<turns::turn>(*turns_, key, intent);
}

std::optional<std::size_t> key_value_store::read_range(std::string_view key, std::size_t first,
                                                       std::span<std::byte> into) const {
  const auto value = read_all(key, std::numeric_limits<std::size_t>::max());
  if (!value) return std::nullopt;
  const auto part = std::span(*value).subspan(std::min(first, value->size()));
  std::ranges::copy(part.first(std::min(part.size(), into.size())), into.begin());
  return value->size();
}

std::string key_value_store::state(std::string_view folder) const {
  fingerprint values;
  for (const std::string& key : list(folder)) {
    if (key[key.rfind('/') + 1] == '.') continue;
    // A value that has gone meanwhile is not there.
    const auto value = read_all(key, std::numeric_limits<std::size_t>::max());
    if (!value) continue;
    values.add(fmt::format("{} {}\n", key, value->size()));
    values.add(*value);
  }
  return values.digits();
}

namespace {

[[noreturn]] void throw_malformed(std::string_view key) {
  // A hostile key may be of any length and hold any byte.
  constexpr std::size_t longest = 200;
  std::string shown(key.substr(0, longest));
  std::replace(shown.begin(), shown.end(), '\0', '?');
  throw store_error(
      fmt::format("key \"{}\": must be names joined by \"/\", none of them empty, "
                  "\".\" or \"..\", without NUL and backslash",
                  shown));
}

}  // namespace

void validate_key(std::string_view key) {
  // One pass without calls: this stands before every read and write of a chunk.
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= key.size(); ++i) {
    if (i < key.size() && key[i] != '/') {
      if (key[i] == '\0' || key[i] == '\\') throw_malformed(key);
      continue;
    }
    const std::size_t length = i - begin;
    if (length == 0) throw_malformed(key);
    if (length <= 2 && key[begin] == '.' && key[i - 1] == '.') throw_malformed(key);
    begin = i + 1;
  }
}

void validate_folder(std::string_view folder) {
  if (!folder.empty()) validate_key(folder);
}

}  // namespace tessera
