// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The matrices of a product: axes of arrays, joined by their roles.

#include "tessera/core/index.hpp"

#include <cstddef>

namespace tessera::detail {

/// An axis of a matrix: axes of an array, counted in row-major order. Strides in elements.
class matrix_axis {
 public:
  matrix_axis() = default;
  matrix_axis(index_t extent, index_t stride) { append(extent, stride); }

  /// Appends an inner axis. It is joined with the axis before it if both lie as one.
  void append(index_t extent, index_t stride) {
    if (extent == 1) return;
    if (!extents_.empty() && stride_ == stride * extent) {
      extents_.back() *= extent;
      strides_.back() = stride;
    } else {
      extents_.push_back(extent);
      strides_.push_back(stride);
    }
    stride_ = stride;
    is_one_ = extents_.size() == 1;
  }

  [[nodiscard]] index_t extent() const { return num_elements(extents_); }
  /// Tells whether it lies as one axis.
  [[nodiscard]] bool is_one() const { return is_one_; }
  /// Returns the stride of the innermost axis; 0 if there is none.
  [[nodiscard]] index_t stride() const { return stride_; }
  /// Tells whether neighbours are neighbours in memory.
  [[nodiscard]] bool is_dense() const { return extents_.empty() || (is_one() && stride() == 1); }

  [[nodiscard]] index_t offset(index_t position) const {
    if (is_one_) return position * stride_;
    index_t result = 0;
    for (std::size_t k = extents_.size(); k-- > 0; position /= extents_[k]) {
      result += position % extents_[k] * strides_[k];
    }
    return result;
  }

 private:
  index_vector extents_;
  index_vector strides_;
  index_t stride_ = 0;
  bool is_one_ = true;
};

/// The product of two matrices that is added to a third: `out[i, j] += sum over k of a[i, k] *
/// b[k, j]`.
template <class T>
struct matrix_product {
  index_t rows = 0;
  index_t columns = 0;
  index_t inner = 0;
  const T* a = nullptr;
  matrix_axis a_rows;
  matrix_axis a_inner;
  const T* b = nullptr;
  matrix_axis b_inner;
  matrix_axis b_columns;
  T* out = nullptr;
  matrix_axis out_rows;
  matrix_axis out_columns;
};

}  // namespace tessera::detail
