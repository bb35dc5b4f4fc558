// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/detail/sorted_values.hpp"

#include <iterator>
#include <utility>

namespace tessera::detail {

namespace {

template <class T>
bool is_in_order(const distinct_value<T>& a, const distinct_value<T>& b) {
  if (stands_before(a.value, b.value)) return true;
  if (stands_before(b.value, a.value)) return false;
  return a.first < b.first;
}

/// Unites equal neighbours; the united value has the position of the first.
template <class T>
void unite_neighbours(std::vector<distinct_value<T>>& values) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i].value == values[last].value) {
      values[last].count += values[i].count;
    } else {
      values[++last] = values[i];
    }
  }
  if (!values.empty()) values.resize(last + 1, values.front());
}

}  // namespace

template <element T>
void distinct_values<T>::add(std::vector<distinct_value<T>> part) {
  std::sort(part.begin(), part.end(), is_in_order<T>);
  unite_neighbours(part);
  std::vector<distinct_value<T>> merged;
  merged.reserve(values_.size() + part.size());
  std::merge(values_.begin(), values_.end(), part.begin(), part.end(), std::back_inserter(merged),
             is_in_order<T>);
  unite_neighbours(merged);
  values_ = std::move(merged);
}

// clang-format off
template class distinct_values<bool>;
template class distinct_values<std::int8_t>;
template class distinct_values<std::int16_t>;
template class distinct_values<std::int32_t>;
template class distinct_values<std::int64_t>;
template class distinct_values<std::uint8_t>;
template class distinct_values<std::uint16_t>;
template class distinct_values<std::uint32_t>;
template class distinct_values<std::uint64_t>;
template class distinct_values<float16>;
template class distinct_values<float>;
template class distinct_values<double>;
template class distinct_values<std::complex<float>>;
template class distinct_values<std::complex<double>>;
// clang-format on

}  // namespace tessera::detail
