// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Gathers: maps that are not affine, of indices that a table lists and of axes that are numbered
/// as one. `take`, orthogonal and pointwise indexing, `reshape`, `tile` and `repeat` are gathers.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tessera {

/// Indices that never change, wherever they lie.
class index_table {
 public:
  explicit index_table(std::vector<index_t> values);
  /// `owner` keeps `values` alive.
  index_table(std::shared_ptr<const void> owner, std::span<const index_t> values);

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] std::span<const index_t> values() const { return values_; }
  [[nodiscard]] index_t operator[](index_t i) const { return values_[static_cast<std::size_t>(i)]; }
  /// Tells whether no index is there twice.
  [[nodiscard]] bool is_distinct() const { return is_distinct_; }
  /// Tells whether all are in `[0, extent)`.
  [[nodiscard]] bool is_within(index_t extent) const {
    return values_.empty() || (0 <= least_ && greatest_ < extent);
  }

  [[nodiscard]] bool operator==(const index_table& rhs) const;

 private:
  std::shared_ptr<const void> owner_;
  std::span<const index_t> values_;
  bool is_distinct_ = true;
  index_t least_ = 0;
  index_t greatest_ = 0;
};

/// Some axes of a gather's domain, and the axes that it reads for them.
///
/// The elements of both are numbered in row-major order. Element `n` of the domain is element `n`
/// of the axes that are read, or element `(*table)[n]` if there is a table.
struct gathered_axes {
  index_vector domain;
  index_vector read;
  std::shared_ptr<const index_table> table = nullptr;

  /// Tells whether both are one axis, with the same indices.
  [[nodiscard]] bool is_plain() const;
  [[nodiscard]] bool operator==(const gathered_axes& rhs) const;
};

/// A map from the indices of a domain to those of an array. Factors lead to the axes that are read.
/// An affine map, of at most one term an axis, leads from these to the array.
///
/// The array of shape (4, 6) as one axis: a factor that sees (24) and reads (4, 6). Columns 3, 1
/// and 1 of it: a factor that sees and reads (4), and one that sees (3) and reads (6) through a
/// table.
class gather {
 public:
  /// Throws: shape_error <- a factor sees more or less than it reads, or a table leads elsewhere;
  /// or `into` does not lead from all that is read, or has several terms.
  gather(std::vector<gathered_axes> factors, index_map into);

  [[nodiscard]] const std::vector<gathered_axes>& factors() const { return factors_; }
  [[nodiscard]] const index_map& into() const { return into_; }
  /// Returns the shape of the domain.
  [[nodiscard]] const index_vector& domain() const { return domain_; }
  /// Returns the shape of the axes that are read.
  [[nodiscard]] const index_vector& read() const { return read_; }

  /// Tells whether it shows no element twice.
  [[nodiscard]] bool is_injective() const;
  /// Tells whether it has tables.
  [[nodiscard]] bool has_tables() const;
  /// Tells whether the factor of the domain's `axis` has one of `axes` as well.
  [[nodiscard]] bool is_beside(std::size_t axis, std::span<const std::size_t> axes) const;
  [[nodiscard]] bool operator==(const gather& rhs) const;

 private:
  std::vector<gathered_axes> factors_;
  index_map into_;
  index_vector domain_;
  index_vector read_;
};

/// Returns the composition: an index of the domain of `inner` is mapped by `inner`, then by
/// `outer`. Returns nullopt if factors of one cut factors of the other, or if extents differ.
[[nodiscard]] std::optional<gather> joined(const gather& outer, const gather& inner);

}  // namespace tessera
