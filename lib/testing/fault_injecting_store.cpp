// SPDX-License-Identifier: Apache-2.0
#include "tessera/testing/fault_injecting_store.hpp"

#include "tessera/core/error.hpp"

#include "store/api/posix_file.hpp"
#include "testing/delayed_calls.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera::testing {

namespace {

std::string_view verb_of(store_operation kind) {
  switch (kind) {
    case store_operation::read:
      return "read";
    case store_operation::size:
      return "stat";
    case store_operation::write:
      return "write";
    case store_operation::erase:
      return "erase";
    case store_operation::list:
      return "list";
  }
  throw value_error("fault_injecting_store: no operation of a store");
}

/// Tells whether a fault of an operation can have an effect. Only a read can return mangled bytes.
bool is_possible(store_operation kind, fault_effect effect) {
  if (effect == fault_effect::fail || effect == fault_effect::delay) return true;
  if (effect == fault_effect::vanish) {
    return kind != store_operation::write && kind != store_operation::erase;
  }
  return kind == store_operation::read;
}

bool is_struck(const store_fault& fault, std::uint64_t count) {
  if (count == fault.first) return true;
  return fault.every > 0 && count > fault.first && (count - fault.first) % fault.every == 0;
}

/// Applies the effect of a fault to a value and returns the new size of the value.
std::size_t mangle(std::span<std::byte> value, fault_effect effect) {
  const std::size_t half = value.size() / 2;
  if (effect == fault_effect::cut_short) return half;
  if (effect == fault_effect::tear) std::ranges::fill(value.subspan(half), std::byte{0});
  if (effect == fault_effect::flip_bit && !value.empty()) value[half] ^= std::byte{0x10};
  return value.size();
}

}  // namespace

fault_injecting_store::fault_injecting_store(std::shared_ptr<key_value_store> inner,
                                             delay_clock clock)
    : inner_(std::move(inner)),
      timer_(std::make_shared<delay_timer>(clock == delay_clock::virtual_clock)),
      traits_(inner_->traits()) {}

fault_injecting_store::~fault_injecting_store() = default;

void fault_injecting_store::inject(const store_fault& fault) {
  if (fault.first == 0) {
    throw value_error("fault_injecting_store: operations are counted from 1, found first = 0");
  }
  if (!is_possible(fault.on, fault.effect)) {
    throw value_error(fmt::format("fault_injecting_store: a {} cannot have this effect, only fail",
                                  verb_of(fault.on)));
  }
  if (fault.effect == fault_effect::delay && !(fault.delay > std::chrono::seconds::zero())) {
    throw value_error(fmt::format("fault_injecting_store: a delay must be positive, found {} s",
                                  fault.delay.count()));
  }
  const std::lock_guard lock(mutex_);
  faults_.push_back({fault});
}

void fault_injecting_store::clear() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
}

std::uint64_t fault_injecting_store::count(store_operation kind) const {
  return counts_[static_cast<std::size_t>(kind)];
}

std::chrono::duration<double> fault_injecting_store::virtual_time() const {
  return timer_->is_virtual() ? timer_->now() : std::chrono::duration<double>{};
}

fault_injecting_store::strike fault_injecting_store::count_operation(store_operation kind,
                                                                     std::string_view key) const {
  ++counts_[static_cast<std::size_t>(kind)];
  strike result;
  std::optional<store_fault> active;
  {
    const std::lock_guard lock(mutex_);
    for (injected& entry : faults_) {
      const store_fault& fault = entry.fault;
      if (fault.on != kind || key.find(fault.key_part) == std::string_view::npos) continue;
      if (!is_struck(fault, ++entry.num_requests)) continue;
      if (fault.effect == fault_effect::delay) {
        result.delay += fault.delay;
      } else if (!active) {
        active = fault;
      }
    }
  }
  if (active || result.delay > std::chrono::seconds::zero()) ++num_struck_;
  if (active && active->effect == fault_effect::fail) {
    result.failure = std::make_exception_ptr(
        store_error(fmt::format("cannot {} key \"{}\" ({}): {}", verb_of(kind), key, name(),
                                std::make_error_code(active->cause).message()),
                    detail::failure_of(static_cast<int>(active->cause))));
  } else if (active) {
    result.effect = active->effect;
  }
  return result;
}

std::optional<fault_effect> fault_injecting_store::strike_operation(store_operation kind,
                                                                    std::string_view key) const {
  const strike effects = count_operation(kind, key);
  timer_->sleep(effects.delay);
  if (effects.failure) std::rethrow_exception(effects.failure);
  return effects.effect;
}

std::optional<std::size_t> fault_injecting_store::read(std::string_view key,
                                                       std::span<std::byte> into) const {
  const auto effect = strike_operation(store_operation::read, key);
  if (effect == fault_effect::vanish) return std::nullopt;
  const std::optional<std::size_t> size = inner_->read(key, into);
  return effect && size ? mangle(into.first(*size), *effect) : size;
}

std::optional<value_part> fault_injecting_store::read_part(std::string_view key,
                                                           const byte_range& range,
                                                           std::span<std::byte> into) const {
  return read_struck(key, range, into, strike_operation(store_operation::read, key));
}

std::optional<value_part> fault_injecting_store::read_struck(
    std::string_view key, const byte_range& range, std::span<std::byte> into,
    std::optional<fault_effect> effect) const {
  if (effect == fault_effect::vanish) return std::nullopt;
  std::optional<value_part> part = inner_->read_part(key, range, into);
  if (!effect || !part) return part;
  const std::size_t size = mangle(into.first(part->size), *effect);
  if (size < part->size) part->value_size = part->first + size;
  part->size = size;
  return part;
}

std::optional<std::vector<std::byte>> fault_injecting_store::read_all(std::string_view key,
                                                                      std::size_t limit) const {
  const auto effect = strike_operation(store_operation::read, key);
  if (effect == fault_effect::vanish) return std::nullopt;
  auto value = inner_->read_all(key, limit);
  if (effect && value) value->resize(mangle(*value, *effect));
  return value;
}

std::optional<std::size_t> fault_injecting_store::size(std::string_view key) const {
  if (strike_operation(store_operation::size, key)) return std::nullopt;
  return inner_->size(key);
}

void fault_injecting_store::write(std::string_view key, std::span<const std::byte> value) {
  (void)strike_operation(store_operation::write, key);
  inner_->write(key, value);
}

bool fault_injecting_store::write_if(std::string_view key, std::span<const std::byte> value,
                                     const value_version& expected) {
  (void)strike_operation(store_operation::write, key);
  return inner_->write_if(key, value, expected);
}

void fault_injecting_store::erase(std::string_view key) {
  (void)strike_operation(store_operation::erase, key);
  inner_->erase(key);
}

void fault_injecting_store::erase_many(std::span<const std::string> keys) {
  for (const std::string& key : keys) (void)strike_operation(store_operation::erase, key);
  inner_->erase_many(keys);
}

void fault_injecting_store::erase_all(std::string_view folder) {
  (void)strike_operation(store_operation::erase, folder);
  inner_->erase_all(folder);
}

std::vector<std::string> fault_injecting_store::list(std::string_view folder) const {
  if (strike_operation(store_operation::list, folder)) return {};
  return inner_->list(folder);
}

std::vector<std::string> fault_injecting_store::list_folder(std::string_view folder) const {
  if (strike_operation(store_operation::list, folder)) return {};
  return inner_->list_folder(folder);
}

void fault_injecting_store::list_pages(std::string_view folder, const page_visitor& visit) const {
  if (!strike_operation(store_operation::list, folder)) inner_->list_pages(folder, visit);
}

/// Reads in flight. The faults of a read are decided when it is submitted.
class fault_injecting_store::struck_reads final : public read_queue {
 public:
  explicit struck_reads(const fault_injecting_store& store) : store_(store), calls_(store.timer_) {}

  [[nodiscard]] std::size_t submit(const read_request& request) override {
    const strike effects = store_.count_operation(store_operation::read, request.key);
    auto result = std::make_shared<std::optional<value_part>>();
    const std::size_t ticket = calls_.submit(
        effects.delay, [this, request, key = std::string(request.key), effects, result] {
          if (effects.failure) std::rethrow_exception(effects.failure);
          *result = store_.read_struck(key, request.range, request.into, effects.effect);
          require_version(key, request.expected, *result);
        });
    results_.resize(std::max(results_.size(), ticket + 1));
    results_[ticket] = std::move(result);
    return ticket;
  }
  [[nodiscard]] bool is_complete(std::size_t ticket) const override {
    return calls_.is_complete(ticket);
  }
  std::optional<value_part> wait(std::size_t ticket) override {
    calls_.wait(ticket);
    return *results_.at(ticket);
  }

 private:
  void require_version(const std::string& key, const value_version& expected,
                       const std::optional<value_part>& part) const {
    if (!expected.is_known() || !part || part->version == expected) return;
    throw store_error(fmt::format("cannot read key \"{}\" ({}): it has been replaced, its version "
                                  "is no longer {}",
                                  key, store_.name(), expected.text()),
                      store_failure::changed);
  }

  const fault_injecting_store& store_;
  std::vector<std::shared_ptr<std::optional<value_part>>> results_;
  delayed_calls calls_;
};

/// Writes in flight. The faults of a write are decided when it is submitted.
class fault_injecting_store::struck_writes final : public write_queue {
 public:
  explicit struck_writes(fault_injecting_store& store) : store_(store), calls_(store.timer_) {}
  ~struck_writes() override { calls_.wait_for_all(); }

  [[nodiscard]] std::size_t submit(std::string_view key,
                                   std::span<const std::byte> value) override {
    const strike effects = store_.count_operation(store_operation::write, key);
    return calls_.submit(effects.delay, [this, key = std::string(key), value, effects] {
      if (effects.failure) std::rethrow_exception(effects.failure);
      store_.inner_->write(key, value);
    });
  }
  [[nodiscard]] bool is_complete(std::size_t ticket) const override {
    return calls_.is_complete(ticket);
  }
  void wait(std::size_t ticket) override { calls_.wait(ticket); }

 private:
  fault_injecting_store& store_;
  delayed_calls calls_;
};

/// A writer: its end is an operation, which faults strike.
class fault_injecting_store::struck_writer final : public value_writer {
 public:
  struck_writer(fault_injecting_store& store, std::string_view key,
                std::unique_ptr<value_writer> inner)
      : store_(store), key_(key), inner_(std::move(inner)) {}

  void append(std::span<const std::byte> piece) override { inner_->append(piece); }
  void finish() override {
    (void)store_.strike_operation(store_operation::write, key_);
    inner_->finish();
  }

 private:
  fault_injecting_store& store_;
  std::string key_;
  std::unique_ptr<value_writer> inner_;
};

std::unique_ptr<read_queue> fault_injecting_store::reads() const {
  return std::make_unique<struck_reads>(*this);
}

std::unique_ptr<write_queue> fault_injecting_store::writes() {
  return std::make_unique<struck_writes>(*this);
}

std::unique_ptr<value_writer> fault_injecting_store::writer(std::string_view key) {
  auto inner = inner_->writer(key);
  return inner == nullptr ? nullptr : std::make_unique<struck_writer>(*this, key, std::move(inner));
}

}  // namespace tessera::testing
