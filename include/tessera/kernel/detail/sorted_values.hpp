// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The order of values, NaN last, and look-ups in values that are in order.

#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/detail/integer_order.hpp"
#include "tessera/meta/promotion.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// Tells whether `a` stands before `b` in NumPy's order: NaN is last, complex numbers are in the
/// order of their real parts, then of their imaginary ones.
template <class T>
constexpr bool stands_before(const T& a, const T& b) {
  if constexpr (complex_element<T>) {
    if (stands_before(a.real(), b.real())) return true;
    if (stands_before(b.real(), a.real())) return false;
    return stands_before(a.imag(), b.imag());
  } else {
    return a < b || (b != b && a == a);
  }
}

/// A value of an array, how often it occurs, and its first position, in row-major order.
template <element T>
struct distinct_value {
  T value;
  index_t count;
  index_t first;
};

/// The values of an array, of which parts come one after the other, each once and in order; each
/// NaN is a value of its own.
template <element T>
class distinct_values {
 public:
  /// Takes the elements of a part, each once or several times, in any order.
  void add(std::vector<distinct_value<T>> part);
  [[nodiscard]] const std::vector<distinct_value<T>>& values() const { return values_; }

 private:
  std::vector<distinct_value<T>> values_;
};

/// A sorted table of values for look-ups; as a function object it travels as their bytes.
template <element T>
class sorted_values {
 public:
  /// Throws: value_error <- they are not in order.
  explicit sorted_values(std::vector<T> values)
      : values_(std::make_shared<const std::vector<T>>(std::move(values))) {
    if (!std::is_sorted(values_->begin(), values_->end(), stands_before<T>)) {
      throw value_error(
          "searchsorted: values must ascend, NaN last; unique_values(x) puts them in order");
    }
  }

  [[nodiscard]] std::string save() const {
    return {reinterpret_cast<const char*>(values_->data()), values_->size() * sizeof(T)};
  }

 protected:
  /// Throws: value_error <- `saved` is no text of `save`.
  explicit sorted_values(std::string_view saved) : sorted_values(values_in(saved)) {}

  /// Returns how many values stand before `x`, or, with `or_equal`, not behind it.
  [[nodiscard]] std::int64_t num_before(const T& x, bool or_equal) const {
    const T* first = values_->data();
    auto count = static_cast<std::int64_t>(values_->size());
    // Without branches, which could not be predicted.
    while (count > 0) {
      const std::int64_t half = count / 2;
      const bool is_before =
          or_equal ? !stands_before(x, first[half]) : stands_before(first[half], x);
      first = is_before ? first + half + 1 : first;
      count = is_before ? count - half - 1 : half;
    }
    return first - values_->data();
  }
  [[nodiscard]] const std::vector<T>& values() const { return *values_; }

 private:
  static std::vector<T> values_in(std::string_view saved) {
    if (saved.size() % sizeof(T) != 0) {
      throw value_error("searchsorted: what was saved is no list of values");
    }
    std::vector<T> values(saved.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), saved.data(), saved.size());
    return values;
  }

  std::shared_ptr<const std::vector<T>> values_;
};

/// The index at which a value would be inserted.
template <element T, bool IsRight>
class insertion_position : public sorted_values<T> {
 public:
  static constexpr std::string_view name = "searchsorted";

  using sorted_values<T>::sorted_values;
  [[nodiscard]] static insertion_position load(std::string_view saved) {
    return insertion_position(saved, 0);
  }

  template <class U>
  std::int64_t operator()(U x) const {
    if constexpr (differ_as_integers<T, U>) {
      if (is_below<T>(x)) return 0;
      if (is_above<T>(x)) return static_cast<std::int64_t>(this->values().size());
    }
    return this->num_before(static_cast<T>(x), IsRight);
  }

 private:
  insertion_position(std::string_view saved, int) : sorted_values<T>(saved) {}
};

/// Whether a value is there; NaN never is.
template <element T>
class membership : public sorted_values<T> {
 public:
  static constexpr std::string_view name = "isin";

  using sorted_values<T>::sorted_values;
  [[nodiscard]] static membership load(std::string_view saved) { return membership(saved, 0); }

  template <class U>
  bool operator()(U x) const {
    const auto value = static_cast<T>(x);
    const auto index = static_cast<std::size_t>(this->num_before(value, false));
    return index < this->values().size() && this->values()[index] == value;
  }

 private:
  membership(std::string_view saved, int) : sorted_values<T>(saved) {}
};

// clang-format off
extern template class distinct_values<bool>;
extern template class distinct_values<std::int8_t>;
extern template class distinct_values<std::int16_t>;
extern template class distinct_values<std::int32_t>;
extern template class distinct_values<std::int64_t>;
extern template class distinct_values<std::uint8_t>;
extern template class distinct_values<std::uint16_t>;
extern template class distinct_values<std::uint32_t>;
extern template class distinct_values<std::uint64_t>;
extern template class distinct_values<float16>;
extern template class distinct_values<float>;
extern template class distinct_values<double>;
extern template class distinct_values<std::complex<float>>;
extern template class distinct_values<std::complex<double>>;
// clang-format on

}  // namespace tessera::detail
