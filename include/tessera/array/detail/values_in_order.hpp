// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The distinct values of an array. Few values are merged from part to part; many are read from all
/// elements, sorted in storage.

#include "tessera/array/detail/blocks_in_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/function/sorting.hpp"
#include "tessera/kernel/detail/sorted_values.hpp"
#include "tessera/store/run_directory.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Returns `get(value)` for each of the distinct values.
template <class R, class T, class Get>
ndarray<R, 1> transform_values(const distinct_values<T>& distinct, Get get) {
  ndarray<R, 1> result({static_cast<index_t>(distinct.values().size())});
  std::transform(distinct.values().begin(), distinct.values().end(), result.data(), get);
  return result;
}
template <class T>
ndarray<T, 1> values_of(const distinct_values<T>& distinct) {
  return transform_values<T>(distinct, [](const distinct_value<T>& entry) { return entry.value; });
}
template <class T>
ndarray<std::int64_t, 1> counts_of(const distinct_values<T>& distinct) {
  return transform_values<std::int64_t>(distinct,
                                        [](const distinct_value<T>& entry) { return entry.count; });
}

/// Distinct values, in order, and the count of each if counts are asked for.
template <element T>
struct counted_values {
  ndarray<T, 1> values;
  ndarray<std::int64_t, 1> counts;
};

/// Returns the number of values, of `size` bytes each, above which sorting is faster than merging.
[[nodiscard]] index_t most_merged(const array_layout& of, std::size_t size);

/// Returns the values of `x`, which are held in the memory of the host; nullopt if they are more
/// than `most`.
template <array_expression X>
auto distinct_of(std::string_view function, const X& x, index_t most) {
  using value_type = typename X::value_type;
  using entry = distinct_value<value_type>;
  std::optional<distinct_values<value_type>> distinct(std::in_place);
  const index_vector strides = row_major_strides(x.layout().shape);
  const auto add = [&](const region& box, const ndarray<value_type, X::rank>& elements) {
    std::vector<entry> part;
    part.reserve(static_cast<std::size_t>(elements.size()));
    const index_vector extents = box.shape();
    index_vector position(extents.size());
    for (const value_type& value : elements.span()) {
      part.push_back({value, 1, offset_of(box.start, strides) + offset_of(position, strides)});
      static_cast<void>(next_position(position, extents));
    }
    distinct->add(std::move(part));
    const auto count = static_cast<index_t>(distinct->values().size());
    if (count > most) {
      distinct.reset();
      return false;
    }
    require_room(function, x.layout(), count, sizeof(entry));
    return true;
  };
  for_each_block(x, sizeof(value_type) + 2 * sizeof(entry), add);
  return distinct;
}

/// A directory that is removed with the object.
class directory_of_run {
 public:
  directory_of_run(const array_layout& of, const std::string& description);
  directory_of_run(const directory_of_run&) = delete;
  directory_of_run& operator=(const directory_of_run&) = delete;
  ~directory_of_run();

  [[nodiscard]] std::string path(const char* name) const;

 private:
  run_directory directory_;
};

/// Calls `f(value, count)` for the runs of equal elements of `sorted`, in order; NaN equals none.
template <element T, class F>
void for_each_run(const array<T, 1>& sorted, F f) {
  std::optional<T> value;
  index_t count = 0;
  for_each_block(sorted, sizeof(T), [&](const region&, const ndarray<T, 1>& elements) {
    for (const T& next : elements.span()) {
      if (value && *value == next) {
        ++count;
        continue;
      }
      if (value) f(*value, count);
      value = next;
      count = 1;
    }
    return true;
  });
  if (value) f(*value, count);
}

/// Returns the values of `x`, of which all elements are sorted in the work directory.
///
/// Memory: the result, and a block of the elements at a time.
template <array_expression X>
auto values_by_sorting(std::string_view function, const X& x, bool are_counted) {
  using value_type = typename X::value_type;
  const directory_of_run run(x.layout(), std::string(function) + ": all elements in order");
  const auto sorted =
      store(sort(ravel(x)), run.path("sorted"), store_options{.compressor = codec::none{}});
  index_t size = 0;
  for_each_run(sorted, [&size](const value_type&, index_t) { ++size; });
  const std::size_t size_of_count = are_counted ? sizeof(std::int64_t) : 0;
  require_room(function, x.layout(), size, sizeof(value_type) + size_of_count);
  counted_values<value_type> result{ndarray<value_type, 1>({size}),
                                    ndarray<std::int64_t, 1>({are_counted ? size : 0})};
  index_t position = 0;
  for_each_run(sorted, [&](const value_type& value, index_t count) {
    if (are_counted) result.counts.data()[position] = count;
    result.values.data()[position++] = value;
  });
  return result;
}

/// Tells whether an array may have more values of type `T` than are worth to be merged.
template <element T>
inline constexpr bool has_many_values = has_order<T> && (sizeof(T) > 2 || floating_element<T>);

/// Returns the distinct values of `x`, and the count of each, if `are_counted`.
template <array_expression X>
counted_values<typename X::value_type> values_in_order(std::string_view function, const X& x,
                                                       bool are_counted) {
  using value_type = typename X::value_type;
  index_t most = std::numeric_limits<index_t>::max();
  if constexpr (has_many_values<value_type>) {
    most = most_merged(x.layout(), sizeof(distinct_value<value_type>));
  }
  const auto distinct = distinct_of(function, x, most);
  if constexpr (has_many_values<value_type>) {
    if (!distinct) return values_by_sorting(function, x, are_counted);
  }
  counted_values<value_type> result{values_of(*distinct), ndarray<std::int64_t, 1>({0})};
  if (are_counted) result.counts = counts_of(*distinct);
  return result;
}

}  // namespace tessera::detail
