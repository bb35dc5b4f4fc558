// SPDX-License-Identifier: Apache-2.0
#include "kernel/lines/key_sort.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::detail {

template <class Key>
void sort_keys(Key* first, Key* last) {
  std::sort(first, last);
}

template <class Key>
void select_key(Key* first, Key* rank, Key* last) {
  if (rank == first) {
    std::iter_swap(rank, std::min_element(first, last));
  } else {
    std::nth_element(first, rank, last);
  }
}

template <class Key, class Index>
void sort_indexed_keys(indexed_key<Key, Index>* first, indexed_key<Key, Index>* last) {
  using entry = indexed_key<Key, Index>;
  std::sort(first, last, [](const entry& a, const entry& b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  });
}

template void sort_keys(std::uint8_t*, std::uint8_t*);
template void sort_keys(std::uint16_t*, std::uint16_t*);
template void sort_keys(std::uint32_t*, std::uint32_t*);
template void sort_keys(std::uint64_t*, std::uint64_t*);

template void select_key(std::uint8_t*, std::uint8_t*, std::uint8_t*);
template void select_key(std::uint16_t*, std::uint16_t*, std::uint16_t*);
template void select_key(std::uint32_t*, std::uint32_t*, std::uint32_t*);
template void select_key(std::uint64_t*, std::uint64_t*, std::uint64_t*);

template <class Key>
using narrow_entry = indexed_key<Key, std::uint32_t>;
template void sort_indexed_keys(narrow_entry<std::uint8_t>*, narrow_entry<std::uint8_t>*);
template void sort_indexed_keys(narrow_entry<std::uint16_t>*, narrow_entry<std::uint16_t>*);
template void sort_indexed_keys(narrow_entry<std::uint32_t>*, narrow_entry<std::uint32_t>*);
template void sort_indexed_keys(narrow_entry<std::uint64_t>*, narrow_entry<std::uint64_t>*);

template <class Key>
using wide_entry = indexed_key<Key, index_t>;
template void sort_indexed_keys(wide_entry<std::uint8_t>*, wide_entry<std::uint8_t>*);
template void sort_indexed_keys(wide_entry<std::uint16_t>*, wide_entry<std::uint16_t>*);
template void sort_indexed_keys(wide_entry<std::uint32_t>*, wide_entry<std::uint32_t>*);
template void sort_indexed_keys(wide_entry<std::uint64_t>*, wide_entry<std::uint64_t>*);

}  // namespace tessera::detail
