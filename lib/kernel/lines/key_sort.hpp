// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sorts and selections of elements by their keys.
///
/// A sort is long code, and elements have twelve types and two orders. Keys are unsigned integers
/// of four sizes whose ascending order is either order of the elements:
///     int16, descending   3 -1 7   --replace_by_keys-->   uint16, ascending
///     --replace_by_elements-->
/// So the sorts are compiled for the four sizes alone, in one source.

#include "tessera/core/index.hpp"

#include "kernel/lines/keys.hpp"

#include <cstring>

namespace tessera::detail {

/// Sorts keys in ascending order.
template <class Key>
void sort_keys(Key* first, Key* last);

/// Moves the key of rank `rank - first` to `rank`, smaller keys in front of it.
template <class Key>
void select_key(Key* first, Key* rank, Key* last);

/// The key of an element and its index in the line.
template <class Key, class Index>
struct indexed_key {
  Key key;
  Index index;
};

/// Sorts keys in ascending order, and equal keys by their indices, which are 32 bits or `index_t`.
template <class Key, class Index>
void sort_indexed_keys(indexed_key<Key, Index>* first, indexed_key<Key, Index>* last);

/// Replaces elements that are not NaN by their keys in place, and returns the first key.
template <class T>
key_t<T>* replace_by_keys(T* first, T* last, key_t<T> flipped) {
  for (T* element = first; element != last; ++element) {
    const key_t<T> key = strict_key_of(*element, flipped);
    std::memcpy(static_cast<void*>(element), &key, sizeof(key));
  }
  return static_cast<key_t<T>*>(static_cast<void*>(first));
}

/// Replaces keys by their elements in place.
template <class T>
void replace_by_elements(T* first, T* last, key_t<T> flipped) {
  for (T* element = first; element != last; ++element) {
    key_t<T> key{};
    std::memcpy(&key, static_cast<const void*>(element), sizeof(key));
    *element = element_of<T>(static_cast<key_t<T>>(key ^ flipped));
  }
}

/// Sorts elements that are not NaN. Zeros are sorted by their signs.
template <class T>
void sort_elements(T* first, T* last, bool is_descending) {
  const key_t<T> flipped = flipped_keys<T>(is_descending);
  key_t<T>* const keys = replace_by_keys(first, last, flipped);
  sort_keys(keys, keys + (last - first));
  replace_by_elements(first, last, flipped);
}

}  // namespace tessera::detail
