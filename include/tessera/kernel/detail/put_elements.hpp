// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elements that replace elements of an array, looked up by their numbers.

#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::detail {

/// The position of an element that is put, and its number.
struct put_target {
  index_t number = 0;
  index_t source = 0;
};

/// Numbers in ascending order, and a table that leads near each of them.
class number_table {
 public:
  explicit number_table(std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {
    if (numbers_.empty()) return;
    const auto last = static_cast<std::uint64_t>(numbers_.back());
    while (last >> shift_ >= std::max<std::uint64_t>(1024, numbers_.size())) ++shift_;
    starts_.assign(static_cast<std::size_t>(last >> shift_) + 2, 0);
    for (const std::int64_t number : numbers_) {
      ++starts_[static_cast<std::size_t>(number >> shift_) + 1];
    }
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  }

  [[nodiscard]] const std::vector<std::int64_t>& numbers() const { return numbers_; }

  /// Returns the index of `number`; -1 if it is not there.
  [[nodiscard]] std::int64_t find(std::int64_t number) const {
    const auto near = static_cast<std::size_t>(number >> shift_);
    if (near + 1 >= starts_.size()) return -1;
    const auto first = numbers_.begin() + starts_[near];
    const auto last = numbers_.begin() + starts_[near + 1];
    const auto position = std::lower_bound(first, last, number);
    return position == last || *position != number ? -1 : position - numbers_.begin();
  }

 private:
  std::vector<std::int64_t> numbers_;
  std::vector<std::int64_t> starts_;
  int shift_ = 0;
};

/// Gives an element, or its replacement; it travels as the bytes of both.
template <element T>
class put_elements {
 public:
  static constexpr std::string_view name = "put_along_axis";

  /// Requires: targets in ascending order of numbers, each once.
  template <class Values>
  put_elements(const std::vector<put_target>& targets, const Values& values) {
    std::vector<std::int64_t> numbers;
    std::vector<T> elements;
    for (const put_target& put : targets) {
      numbers.push_back(put.number);
      elements.push_back(values[static_cast<std::size_t>(put.source)]);
    }
    hold(std::move(numbers), elements);
  }

  [[nodiscard]] std::string save() const {
    const std::vector<std::int64_t>& numbers = content_->table.numbers();
    std::string bytes(numbers.size() * (sizeof(std::int64_t) + sizeof(T)), '\0');
    if (bytes.empty()) return bytes;
    const std::size_t size = numbers.size() * sizeof(std::int64_t);
    std::memcpy(bytes.data(), numbers.data(), size);
    std::memcpy(bytes.data() + size, content_->values.get(), numbers.size() * sizeof(T));
    return bytes;
  }
  /// Throws: value_error <- `saved` is no text of `save`.
  [[nodiscard]] static put_elements load(std::string_view saved) {
    constexpr std::size_t entry_size = sizeof(std::int64_t) + sizeof(T);
    std::vector<std::int64_t> numbers(saved.size() / entry_size);
    auto values = std::make_unique<T[]>(numbers.size());
    if (!numbers.empty()) {
      const std::size_t size = numbers.size() * sizeof(std::int64_t);
      std::memcpy(numbers.data(), saved.data(), size);
      std::memcpy(static_cast<void*>(values.get()), saved.data() + size,
                  numbers.size() * sizeof(T));
    }
    if (saved.size() % entry_size != 0 || !std::is_sorted(numbers.begin(), numbers.end()) ||
        (!numbers.empty() && numbers.front() < 0)) {
      throw value_error("put_along_axis: what was saved are no places and elements");
    }
    put_elements loaded({}, std::vector<T>());
    loaded.hold(std::move(numbers), std::span<const T>(values.get(), saved.size() / entry_size));
    return loaded;
  }

  T operator()(T x, std::int64_t number) const {
    const std::int64_t index = content_->table.find(number);
    return index < 0 ? x : content_->values[static_cast<std::size_t>(index)];
  }

 private:
  struct content {
    number_table table;
    std::unique_ptr<T[]> values;
  };

  template <class Values>
  void hold(std::vector<std::int64_t> numbers, const Values& values) {
    auto copied = std::make_unique<T[]>(numbers.size());
    std::copy(values.begin(), values.end(), copied.get());
    content_ = std::make_shared<const content>(
        content{number_table(std::move(numbers)), std::move(copied)});
  }

  std::shared_ptr<const content> content_;
};

}  // namespace tessera::detail
