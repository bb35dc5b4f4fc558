// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elements of a strip that count.

#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/monoid_fold.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tessera::detail {

/// The elements that count.
enum class counting {
  every_element,  ///< all elements
  masked,         ///< elements at which the first input is true
  numbers,        ///< elements other than NaN
};

template <class T, counting How>
using counted_inputs =
    std::conditional_t<How == counting::masked, std::tuple<bool, T>, std::tuple<T>>;

/// Returns the name of a fold of those elements.
template <class T, counting How>
std::string counted_name(std::string_view label) {
  constexpr std::string_view which = How == counting::numbers ? " of numbers" : " counted";
  return fold_name(std::string(label).append(which), elements_of<counted_inputs<T, How>>::dtypes());
}

/// A strip of elements of which some count.
template <class T, counting How>
class counted_strip {
 public:
  explicit counted_strip(const fold_strip& strip)
      : strip_(strip),
        x_(typed<T>(strip.inputs[How == counting::masked ? 1 : 0])),
        mask_(typed<bool>(strip.inputs[0])),
        all_count_(find_all_count()) {}

  [[nodiscard]] const fold_strip& strip() const { return strip_; }
  [[nodiscard]] const std::byte* bytes() const {
    return strip_.inputs[How == counting::masked ? 1 : 0];
  }
  [[nodiscard]] bool all_count() const { return all_count_; }
  [[nodiscard]] bool counts(index_t i) const {
    if constexpr (How == counting::masked) {
      return mask_[i];
    } else if constexpr (How == counting::numbers) {
      return !is_nan(x_[i]);
    } else {
      return true;
    }
  }
  /// Returns the element, also if it does not count.
  [[nodiscard]] T element(index_t i) const { return x_[i]; }
  /// Returns the element, or zero if it does not count.
  [[nodiscard]] T value(index_t i) const { return counts(i) ? x_[i] : T(0); }

  [[nodiscard]] double num_counted() const {
    if (all_count_) return static_cast<double>(strip_.size);
    index_t count = 0;
    for (index_t i = 0; i < strip_.size; ++i) count += counts(i) ? 1 : 0;
    return static_cast<double>(count);
  }

 private:
  [[nodiscard]] bool find_all_count() const {
    if constexpr (How == counting::masked) {
      return std::memchr(mask_, 0, static_cast<std::size_t>(strip_.size)) == nullptr;
    } else if constexpr (How == counting::numbers) {
      int missing = 0;
      for (index_t i = 0; i < strip_.size; ++i) missing |= is_nan(x_[i]) ? 1 : 0;
      return missing == 0;
    } else {
      return true;
    }
  }

  const fold_strip& strip_;
  const T* x_;
  const bool* mask_;
  bool all_count_;
};

/// `M` of those elements that are no NaN.
template <class M>
struct numbers_monoid : name_of_monoid<M> {
  using state = typename M::state;
  static constexpr state identity = M::identity;
  static constexpr bool commutes = requires { requires M::commutes; };

  template <class X, class... Xs>
  static state take(const state& s, const X& x, const Xs&... xs) {
    // A choice of elements becomes vectors. One of sums may not, as a sum may trap.
    if constexpr (requires { M::neutral(); }) {
      return M::take(s, is_nan(x) ? M::neutral() : x, xs...);
    } else {
      return chosen<state>(!is_nan(x), M::take(s, x, xs...), s);
    }
  }
  static state merge(const state& a, const state& b) { return M::merge(a, b); }
  static auto finish(const state& s) { return finished<M>(s); }
};

/// Returns the kernel that folds by `M` the elements of type `T`, and `Xs` behind them, that count.
template <class M, counting How, class T, class... Xs>
const fold_kernel& counted_monoid_fold() {
  if constexpr (How == counting::masked) {
    return tessera::monoid_fold<masked_monoid<M>, bool, T, Xs...>();
  } else if constexpr (How == counting::numbers) {
    return tessera::monoid_fold<numbers_monoid<M>, T, Xs...>();
  } else {
    return tessera::monoid_fold<M, T, Xs...>();
  }
}

}  // namespace tessera::detail
