// SPDX-License-Identifier: Apache-2.0
#include "tessera/testing/fault_injecting_store.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/posix_file.hpp"

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

/// Tells whether an operation can have an effect: only what is read can be mangled.
bool is_possible(store_operation kind, fault_effect effect) {
  if (effect == fault_effect::fail) return true;
  if (effect == fault_effect::vanish) {
    return kind != store_operation::write && kind != store_operation::erase;
  }
  return kind == store_operation::read;
}

bool is_struck(const store_fault& fault, std::uint64_t seen) {
  if (seen == fault.first) return true;
  return fault.every > 0 && seen > fault.first && (seen - fault.first) % fault.every == 0;
}

/// Does to a value what a fault asks; returns its new size.
std::size_t mangle(std::span<std::byte> value, fault_effect effect) {
  const std::size_t half = value.size() / 2;
  if (effect == fault_effect::cut_short) return half;
  if (effect == fault_effect::tear) std::ranges::fill(value.subspan(half), std::byte{0});
  if (effect == fault_effect::flip_bit && !value.empty()) value[half] ^= std::byte{0x10};
  return value.size();
}

}  // namespace

fault_injecting_store::fault_injecting_store(std::shared_ptr<key_value_store> inner)
    : inner_(std::move(inner)) {}

fault_injecting_store::~fault_injecting_store() = default;

void fault_injecting_store::inject(const store_fault& fault) {
  if (fault.first == 0) {
    throw value_error("fault_injecting_store: operations are counted from 1, found first = 0");
  }
  if (!is_possible(fault.on, fault.effect)) {
    throw value_error(fmt::format("fault_injecting_store: a {} cannot have this effect, only fail",
                                  verb_of(fault.on)));
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

std::optional<fault_effect> fault_injecting_store::strike(store_operation kind,
                                                          std::string_view key) const {
  ++counts_[static_cast<std::size_t>(kind)];
  std::optional<store_fault> found;
  {
    const std::lock_guard lock(mutex_);
    for (injected& each : faults_) {
      if (each.fault.on != kind || key.find(each.fault.key_part) == std::string_view::npos) {
        continue;
      }
      if (is_struck(each.fault, ++each.seen) && !found) found = each.fault;
    }
  }
  if (!found) return std::nullopt;
  ++num_struck_;
  if (found->effect != fault_effect::fail) return found->effect;
  throw store_error(fmt::format("cannot {} key \"{}\" ({}): {}", verb_of(kind), key, name(),
                                std::make_error_code(found->cause).message()),
                    detail::may_pass(static_cast<int>(found->cause)));
}

std::optional<std::size_t> fault_injecting_store::read(std::string_view key,
                                                       std::span<std::byte> into) const {
  const auto effect = strike(store_operation::read, key);
  if (effect == fault_effect::vanish) return std::nullopt;
  const std::optional<std::size_t> size = inner_->read(key, into);
  return effect && size ? mangle(into.first(*size), *effect) : size;
}

std::optional<std::size_t> fault_injecting_store::read_range(std::string_view key,
                                                             std::size_t first,
                                                             std::span<std::byte> into) const {
  const auto effect = strike(store_operation::read, key);
  if (effect == fault_effect::vanish) return std::nullopt;
  const std::optional<std::size_t> size = inner_->read_range(key, first, into);
  if (!effect || !size) return size;
  const std::size_t found = std::min(into.size(), *size - std::min(first, *size));
  const std::size_t left = mangle(into.first(found), *effect);
  return left < found ? first + left : *size;
}

std::optional<std::vector<std::byte>> fault_injecting_store::read_all(std::string_view key,
                                                                      std::size_t limit) const {
  const auto effect = strike(store_operation::read, key);
  if (effect == fault_effect::vanish) return std::nullopt;
  auto value = inner_->read_all(key, limit);
  if (effect && value) value->resize(mangle(*value, *effect));
  return value;
}

std::optional<std::size_t> fault_injecting_store::size(std::string_view key) const {
  if (strike(store_operation::size, key)) return std::nullopt;
  return inner_->size(key);
}

void fault_injecting_store::write(std::string_view key, std::span<const std::byte> value) {
  (void)strike(store_operation::write, key);
  inner_->write(key, value);
}

void fault_injecting_store::erase(std::string_view key) {
  (void)strike(store_operation::erase, key);
  inner_->erase(key);
}

void fault_injecting_store::erase_all(std::string_view folder) {
  (void)strike(store_operation::erase, folder);
  inner_->erase_all(folder);
}

std::vector<std::string> fault_injecting_store::list(std::string_view folder) const {
  if (strike(store_operation::list, folder)) return {};
  return inner_->list(folder);
}

std::vector<std::string> fault_injecting_store::list_folder(std::string_view folder) const {
  if (strike(store_operation::list, folder)) return {};
  return inner_->list_folder(folder);
}

}  // namespace tessera::testing
