// SPDX-License-Identifier: Apache-2.0
#include "executor/array/coordinator.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/interrupt.hpp"

#include "store/api/dated_values.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::job_arrays {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view epoch_folder = "epoch";
/// The most bytes of a sign of life, or of the text of a coordinator, that are read.
constexpr std::size_t longest_sign = 4096;

std::string epoch_key(std::uint64_t epoch) { return fmt::format("{}/{}", epoch_folder, epoch); }
std::string alive_key(std::uint64_t epoch) { return fmt::format("alive/{}", epoch); }

/// Returns the largest number of an epoch, or 0 without an epoch.
std::uint64_t latest_epoch(const key_value_store& store) {
  std::uint64_t latest = 0;
  for (const std::string& name : store.list_folder(epoch_folder)) {
    std::uint64_t number = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, failure] = std::from_chars(name.data(), end, number);
    if (failure == std::errc{} && stop == end) latest = std::max(latest, number);
  }
  return latest;
}

std::string read_sign(const key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, longest_sign);
  if (!value) return {};
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Creates an epoch. Returns false if another program has created it.
bool create_epoch(key_value_store& store, std::uint64_t epoch, const std::string& self) {
  try {
    return store.write_if(epoch_key(epoch), std::as_bytes(std::span(self)), {});
  } catch (const store_error& failure) {
    if (failure.kind() != store_failure::unsupported) throw;
    throw value_error(
        fmt::format("the folder of a run in {}: its server creates no keys on the condition that "
                    "they are missing (If-None-Match), by which programs agree who runs it",
                    store.name()));
  }
}

/// Returns the age of a sign of life by the server's clock; nullopt if it is unknown or missing.
std::optional<std::chrono::seconds> age_of_sign(const key_value_store& store, std::uint64_t epoch) {
  const auto* const dated = dynamic_cast<const detail::dated_values*>(&store);
  return dated == nullptr ? std::nullopt : dated->age_of(alive_key(epoch));
}

bool is_stale(const key_value_store& store, std::uint64_t epoch,
              std::chrono::milliseconds silence) {
  const auto age = age_of_sign(store, epoch);
  return age && *age > silence;
}

/// Watches the sign of life of the coordinator of the latest epoch, and starts anew with each
/// epoch.
class epoch_watch {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Tells whether the coordinator of an epoch has shown life since the first look at it.
  [[nodiscard]] bool shows_life(std::uint64_t epoch, const std::string& sign, time_point now) {
    if (epoch == epoch_) return sign != sign_;
    epoch_ = epoch;
    sign_ = sign;
    since_ = now;
    return false;
  }
  /// Returns the time since the first look at the epoch.
  [[nodiscard]] std::chrono::steady_clock::duration silence(time_point now) const {
    return now - since_;
  }

 private:
  std::uint64_t epoch_ = 0;
  std::string sign_;
  time_point since_{};
};

}  // namespace

sign_of_life last_sign_of_life(const key_value_store& store) {
  const std::uint64_t epoch = latest_epoch(store);
  if (epoch == 0) return {};
  auto age = age_of_sign(store, epoch);
  if (!age) {
    // A coordinator may be killed between its epoch and its first sign.
    const auto* const dated = dynamic_cast<const detail::dated_values*>(&store);
    if (dated != nullptr) age = dated->age_of(epoch_key(epoch));
  }
  return {epoch, first_line(read_sign(store, epoch_key(epoch))), age};
}

waiting_clock waiting_clock::of_machine() {
  return {[] { return std::chrono::steady_clock::now(); },
          [](std::chrono::milliseconds time) {
            constexpr auto step = 100ms;
            for (; time > 0ms && !interrupt_requested(); time -= step) {
              std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(time, step));
            }
          }};
}

coordinator::coordinator(std::shared_ptr<key_value_store> store, std::string self,
                         const coordination_times& times, const waiting_clock& clock)
    : store_(std::move(store)), self_(std::move(self)) {
  take(times, clock);
  write_sign();
}

void coordinator::take(const coordination_times& times, const waiting_clock& clock) {
  epoch_watch watch;
  while (epoch_ == 0) {
    const std::uint64_t latest = latest_epoch(*store_);
    const std::string sign = latest == 0 ? "" : read_sign(*store_, alive_key(latest));
    if (latest != 0 && watch.shows_life(latest, sign, clock.now())) {
      throw value_error(fmt::format(
          "the run in {} is coordinated by {}, which is alive; wait until it has ended, or end it: "
          "after {} s without a sign of life this program would take the run over",
          store_->name(), first_line(read_sign(*store_, epoch_key(latest))),
          std::chrono::ceil<std::chrono::seconds>(times.silence).count()));
    }
    if (latest == 0 || watch.silence(clock.now()) >= times.silence ||
        is_stale(*store_, latest, times.silence)) {
      if (latest != 0) predecessor_ = read_sign(*store_, epoch_key(latest));
      if (create_epoch(*store_, latest + 1, self_)) epoch_ = latest + 1;
      continue;
    }
    clock.sleep(times.look);
    if (interrupt_requested()) throw interrupted_error("the wait for another coordinator");
  }
}

void coordinator::write_sign() {
  const std::string sign = fmt::format("{} of {}", ++num_signs_, first_line(self_));
  store_->write(alive_key(epoch_), std::as_bytes(std::span(sign)));
}

bool coordinator::has_successor() const { return store_->exists(epoch_key(epoch_ + 1)); }

void coordinator::renew() noexcept {
  try {
    if (is_superseded_) return;
    if (has_successor()) {
      is_superseded_ = true;
    } else {
      write_sign();
    }
  } catch (const std::exception&) {
    return;
  }
}

void coordinator::confirm() {
  if (!is_superseded_ && has_successor()) is_superseded_ = true;
  require_unchallenged();
}

void coordinator::require_unchallenged() const {
  if (!is_superseded_) return;
  throw value_error(fmt::format(
      "the run in {}: another program has taken it over, as this one gave no sign of life for too "
      "long; this one ends",
      store_->name()));
}

// The epoch goes last: until then another program watches the sign, or finds it missing.
void coordinator::end() noexcept {
  try {
    if (is_superseded_ || has_successor()) return;
    const std::string last = epoch_key(epoch_);
    std::vector<std::string> keys = store_->list("");
    std::erase(keys, last);
    store_->erase_many(keys);
    store_->erase(last);
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace tessera::job_arrays
