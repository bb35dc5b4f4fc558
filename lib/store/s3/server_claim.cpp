// SPDX-License-Identifier: Apache-2.0
#include "store/s3/server_claim.hpp"

#include "tessera/core/error.hpp"

#include "store/api/heartbeat.hpp"
#include "store/unfinished_write.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

namespace tessera::s3 {

namespace {

using detail::claims_prefix;
using detail::heartbeat;
using detail::lock_suffix;

constexpr std::string_view turn_name = ".turn";

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Returns the folder of the claims of a key.
std::string folder_of_claims(std::string_view key) {
  const std::size_t name = key.rfind('/') + 1;
  return fmt::format("{}{}{}{}", key.substr(0, name), claims_prefix, key.substr(name), lock_suffix);
}

/// Writes a value again if it is still the same one. The next beat tries again after a failure.
void renew(s3_store& store, const std::string& key, const std::string& text) noexcept {
  try {
    const auto now = store.read_dated(key);
    if (now && now->text == text) {
      static_cast<void>(store.write_if(key, bytes_of(text), now->version));
    }
  } catch (const std::exception&) {
    return;
  }
}

/// The turn among the threads of this process, which need not ask the server in vain. A claim on
/// one key may be judged under a claim on another.
std::recursive_mutex& turn_of_process() {
  static auto& only = *new std::recursive_mutex;
  return only;
}

/// Tries to create the turn, or to take it over from a writer that is gone.
bool try_turn(s3_store& store, const std::string& key, const std::string& writer) {
  if (store.write_if(key, bytes_of(writer), value_version())) return true;
  const auto now = store.read_dated(key);
  return now && is_gone(now->text, now->age) && store.write_if(key, bytes_of(writer), now->version);
}

/// Waits for the turn of a folder of claims.
std::unique_ptr<beating_value> take_turn(const std::shared_ptr<s3_store>& store,
                                         const std::string& folder, const std::string& writer) {
  using std::chrono::milliseconds;
  constexpr milliseconds longest_pause{500};
  const std::string key = fmt::format("{}/{}", folder, turn_name);
  for (milliseconds pause{5}; !try_turn(*store, key, writer);
       pause = std::min(2 * pause, longest_pause)) {
    std::this_thread::sleep_for(pause);
  }
  return std::make_unique<beating_value>(store, key, writer);
}

/// A claim. It is not held if the folder was removed while it was judged.
class server_claim final : public store_claim {
 public:
  /// `end_of_turn` is in flight.
  explicit server_claim(std::unique_ptr<beating_value> value,
                        std::unique_ptr<pending_erasure> end_of_turn = nullptr)
      : value_(std::move(value)), end_of_turn_(std::move(end_of_turn)) {}
  [[nodiscard]] bool is_held() const override { return value_ != nullptr && value_->is_there(); }

 private:
  std::unique_ptr<beating_value> value_;
  std::unique_ptr<pending_erasure> end_of_turn_;
};

}  // namespace

bool is_of_claims(std::string_view key) {
  for (std::size_t begin = 0; begin < key.size();) {
    const std::size_t end = std::min(key.find('/', begin), key.size());
    const std::string_view name = key.substr(begin, end - begin);
    if (name.starts_with(claims_prefix) && name.ends_with(lock_suffix)) return true;
    if (name == folder_of_tests) return true;
    begin = end + 1;
  }
  return false;
}

std::vector<std::string> read_claims(s3_store& store, const std::string& folder) {
  std::vector<std::string> texts;
  for (const std::string& name : store.names_of_claims(folder)) {
    if (name == turn_name) continue;
    const std::string key = fmt::format("{}/{}", folder, name);
    auto claim = store.read_dated(key);
    // A claim may end at any time.
    if (!claim) continue;
    if (is_gone(name, claim->age)) {
      store.erase(key);
    } else {
      texts.push_back(std::move(claim->text));
    }
  }
  return texts;
}

bool is_gone(std::string_view writer, std::chrono::seconds silence) {
  // A process that goes on leaves a value, too, if its server failed while a claim began or ended.
  return detail::has_writer_ended(writer).value_or(false) || silence > longest_silence;
}

beating_value::beating_value(std::shared_ptr<s3_store> store, std::string key, std::string text)
    : store_(std::move(store)), key_(std::move(key)), text_(std::move(text)) {
  heartbeat::of_servers().add(
      beat_name(), [values = store_, key = key_, text = text_] { renew(*values, key, text); });
}

beating_value::~beating_value() {
  if (has_ended_ || process_ != ::getpid()) return;
  heartbeat::of_servers().remove(beat_name());
  try {
    if (is_fresh() || is_there()) store_->erase(key_);
  } catch (const std::exception&) {
    // It is silent from now on.
    return;
  }
}

// No writer takes over a value that was renewed lately.
bool beating_value::is_fresh() const {
  return std::chrono::steady_clock::now() - begin_ < longest_silence / 2;
}

std::unique_ptr<pending_erasure> beating_value::begin_end() {
  if (!is_fresh()) return nullptr;
  try {
    std::unique_ptr<pending_erasure> erasure = store_->begin_erase(key_);
    heartbeat::of_servers().remove(beat_name());
    has_ended_ = true;
    return erasure;
  } catch (const store_error&) {
    return nullptr;
  }
}

std::string beating_value::beat_name() const { return fmt::format("{}/{}", store_->name(), key_); }

bool beating_value::is_there() const {
  const auto now = store_->read_dated(key_);
  return now && now->text == text_;
}

std::unique_ptr<store_claim> claim_on_server(const std::shared_ptr<s3_store>& store,
                                             std::string_view key, std::string_view text,
                                             const claim_judge& admit) {
  const std::string folder = folder_of_claims(key);
  const std::string writer(detail::unfinished_suffix().view());
  const std::lock_guard lock(turn_of_process());
  const auto turn = take_turn(store, folder, writer);
  admit(read_claims(*store, folder));
  const std::string claim = fmt::format("{}/{}", folder, writer);
  // Declared before `writes`: the claim is erased after its write has ended.
  auto value = std::make_unique<beating_value>(store, claim, std::string(text));
  // A lost turn makes the claim void. The heartbeat keeps the turn while the claim is written.
  const std::unique_ptr<write_queue> writes = store->writes();
  const std::size_t ticket = writes->submit(claim, bytes_of(text));
  const bool has_turn = turn->is_there();
  writes->wait(ticket);
  if (!has_turn) return std::make_unique<server_claim>(nullptr);
  return std::make_unique<server_claim>(std::move(value), turn->begin_end());
}

}  // namespace tessera::s3
