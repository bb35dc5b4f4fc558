// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/index.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/shape_array.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <ostream>
#include <span>
#include <string>

namespace tessera {

index_t* index_vector::grown_outside_to(std::size_t size) {
  if (size > max_rank) {
    throw shape_error(fmt::format("rank {}: an array has at most {} axes", size, max_rank));
  }
  if (!outside_) {
    outside_ = std::make_unique<index_t[]>(max_rank);
    std::copy_n(inside_.begin(), size_, outside_.get());
  }
  size_ = static_cast<std::uint32_t>(size);
  return outside_.get();
}

void index_vector::copy_outside(const index_vector& source) {
  if (!source.outside_) {
    outside_.reset();
    return;
  }
  if (!outside_) outside_ = std::make_unique<index_t[]>(max_rank);
  std::copy_n(source.outside_.get(), source.size_, outside_.get());
}

index_t checked_multiply(index_t a, index_t b) {
  index_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw shape_error(fmt::format("extents: the product of {} and {} exceeds 2^63 - 1", a, b));
  }
  return product;
}

index_t num_elements(std::span<const index_t> extents) {
  index_t product = 1;
  bool is_empty = false;
  for (const index_t extent : extents) {
    if (extent < 0) {
      throw shape_error(fmt::format("extents: every extent must be at least 0, found {} in {}",
                                    extent, format_shape(extents)));
    }
    is_empty = is_empty || extent == 0;
  }
  if (is_empty) return 0;
  for (const index_t extent : extents) product = checked_multiply(product, extent);
  return product;
}

index_vector row_major_strides(std::span<const index_t> extents) {
  index_vector strides(extents.size());
  index_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = stride;
    if (extents[axis] > 0 && axis > 0) stride = checked_multiply(stride, extents[axis]);
  }
  return strides;
}

std::string format_shape(std::span<const index_t> extents) {
  if (extents.size() == 1) return fmt::format("({},)", extents[0]);
  return fmt::format("({})", fmt::join(extents.begin(), extents.end(), ", "));
}

std::ostream& detail::print_extents(std::ostream& out, std::span<const index_t> extents) {
  return out << format_shape(extents);
}

bool next_position(index_vector& position, std::span<const index_t> extents) {
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    if (++position[axis] < extents[axis]) return true;
    position[axis] = 0;
  }
  return false;
}

}  // namespace tessera
