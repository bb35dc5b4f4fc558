// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/key_value_store.hpp"

#include "tessera/core/error.hpp"

#include "core/api/fingerprint.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

namespace tessera {

/// The locks of a store in memory, and the intents of holders that did not finish.
struct key_value_store::turns {
  // A holder may take the locks of several keys.
  std::recursive_mutex mutex;
  std::map<std::string, std::vector<std::string>, std::less<>> announced;

  /// The lock of one key.
  class turn final : public store_lock {
   public:
    turn(turns& table, std::string_view key, std::string_view intent)
        : lock_(table.mutex), table_(table), key_(key), unfinished_(table.announced[key_]) {
      table.announced[key_].emplace_back(intent);
    }
    [[nodiscard]] const std::vector<std::string>& unfinished() const override {
      return unfinished_;
    }
    void finish() override { table_.announced.erase(key_); }

   private:
    std::lock_guard<std::recursive_mutex> lock_;
    turns& table_;
    std::string key_;
    std::vector<std::string> unfinished_;
  };
};

/// The claims of a store in memory, by key.
struct key_value_store::claims {
  // A claim on one key may be admitted under a claim on another.
  std::recursive_mutex mutex;
  std::multimap<std::string, std::string, std::less<>> texts;

  class holder final : public store_claim {
   public:
    holder(std::shared_ptr<claims> table, std::string_view key, std::string_view text)
        : table_(std::move(table)), text_(table_->texts.emplace(key, text)) {}
    holder(const holder&) = delete;
    holder& operator=(const holder&) = delete;
    ~holder() override {
      const std::lock_guard lock(table_->mutex);
      table_->texts.erase(text_);
    }
    [[nodiscard]] bool is_held() const override { return true; }

   private:
    std::shared_ptr<claims> table_;
    decltype(texts)::iterator text_;
  };
};

key_value_store::key_value_store()
    : turns_(std::make_unique<turns>()), claims_(std::make_shared<claims>()) {}
key_value_store::~key_value_store() = default;

std::unique_ptr<read_queue> key_value_store::reads() const { return nullptr; }

std::unique_ptr<write_queue> key_value_store::writes() { return nullptr; }

std::unique_ptr<store_lock> key_value_store::lock(std::string_view key, std::string_view intent) {
  validate_key(key);
  return std::make_unique<turns::turn>(*turns_, key, intent);
}

std::unique_ptr<store_claim> key_value_store::claim(std::string_view key, std::string_view text,
                                                    const claim_judge& admit) {
  validate_key(key);
  const std::lock_guard lock(claims_->mutex);
  std::vector<std::string> others;
  const auto [first, last] = claims_->texts.equal_range(key);
  for (auto text_of_key = first; text_of_key != last; ++text_of_key) {
    others.push_back(text_of_key->second);
  }
  admit(others);
  return std::make_unique<claims::holder>(claims_, key, text);
}

std::optional<value_part> key_value_store::read_part(std::string_view key, const byte_range& range,
                                                     std::span<std::byte> into) const {
  const auto value = read_all(key, std::numeric_limits<std::size_t>::max());
  if (!value) return std::nullopt;
  const byte_range clipped = clip_range(range, value->size());
  const std::size_t size = std::min<std::size_t>(clipped.count, into.size());
  std::ranges::copy(std::span(*value).subspan(clipped.first, size), into.begin());
  return value_part{clipped.first, size, value->size()};
}

bool key_value_store::write_if(std::string_view key, std::span<const std::byte> /*value*/,
                               const value_version& /*expected*/) {
  validate_key(key);
  throw store_error(
      fmt::format(
          "cannot write key \"{}\" ({}) on a condition: the store has no conditional writes", key,
          name()),
      store_failure::unsupported);
}

std::unique_ptr<value_writer> key_value_store::writer(std::string_view key) {
  validate_key(key);
  return nullptr;
}

void key_value_store::erase_many(std::span<const std::string> keys) {
  for (const std::string& key : keys) erase(key);
}

void key_value_store::list_pages(std::string_view folder, const page_visitor& visit) const {
  const std::vector<std::string> keys = list(folder);
  if (!keys.empty()) visit(keys);
}

std::string key_value_store::state(std::string_view folder) const {
  fingerprint values;
  for (const std::string& key : list(folder)) {
    if (key[key.rfind('/') + 1] == '.') continue;
    // The value may have been erased meanwhile.
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
  // One pass without calls, because every read and write of a chunk comes here.
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
