// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Objects that lie elsewhere, by number.

#include <cstddef>
#include <iterator>
#include <vector>

namespace tessera {

/// Objects that lie elsewhere, by number: iterated and indexed as a vector of them.
template <class T>
class numbered {
  template <class Item>
  class pointer_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Item*;
    using reference = Item&;

    pointer_iterator() = default;
    explicit pointer_iterator(T* const* at) : at_(at) {}
    [[nodiscard]] reference operator*() const { return **at_; }
    [[nodiscard]] pointer operator->() const { return *at_; }
    pointer_iterator& operator++() {
      ++at_;
      return *this;
    }
    pointer_iterator operator++(int) { return pointer_iterator(at_++); }
    [[nodiscard]] bool operator==(const pointer_iterator&) const = default;

   private:
    T* const* at_ = nullptr;
  };

 public:
  using const_iterator = pointer_iterator<const T>;
  using iterator = pointer_iterator<T>;

  void push_back(T& item) { items_.push_back(&item); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] T& operator[](std::size_t i) { return *items_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return *items_[i]; }
  [[nodiscard]] iterator begin() { return iterator(items_.data()); }
  [[nodiscard]] iterator end() { return iterator(items_.data() + items_.size()); }
  [[nodiscard]] const_iterator begin() const { return const_iterator(items_.data()); }
  [[nodiscard]] const_iterator end() const { return const_iterator(items_.data() + items_.size()); }

 private:
  std::vector<T*> items_;
};

}  // namespace tessera
