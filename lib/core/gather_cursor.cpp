// SPDX-License-Identifier: Apache-2.0
#include "core/api/gather_cursor.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"

#include "core/api/floor_quotient.hpp"
#include "core/gather_runs.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace tessera {

namespace {

constexpr unsigned position_bits = 32;
constexpr index_t most_numbered = index_t{1} << position_bits;

index_t position_of(std::uint64_t entry) {
  return static_cast<index_t>(entry & (std::uint64_t{most_numbered} - 1));
}

index_vector unravelled(index_t number, const index_vector& extents) {
  index_vector position(extents.size());
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    position[axis] = number % extents[axis];
    number /= extents[axis];
  }
  return position;
}

/// Returns the smallest box in the shape `read` with the elements numbered `first` to `last`.
region hull_between(index_t first, index_t last, const index_vector& read) {
  const index_vector from = unravelled(first, read);
  const index_vector to = unravelled(last, read);
  region hull{from, to};
  bool differs = false;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (differs) hull.start[axis] = 0;
    hull.stop[axis] = differs ? read[axis] : to[axis] + 1;
    differs = differs || from[axis] != to[axis];
  }
  return hull;
}

/// Returns the smallest read box of the elements of `box`, for a factor without a table.
region hull_in_order(const gathered_axes& factor, const region& box) {
  index_vector last = box.stop;
  for (index_t& stop : last) --stop;
  const index_vector strides = row_major_strides(factor.domain);
  return hull_between(offset_of(box.start, strides), offset_of(last, strides), factor.read);
}

/// Returns the entry of a table at element `position` of `box`, a box of the shown axes.
index_t entry_at(const gathered_axes& factor, const region& box, index_t position) {
  if (factor.domain.size() == 1) return (*factor.table)[box.start[0] + position];
  index_vector at = unravelled(position, box.shape());
  for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] += box.start[axis];
  return (*factor.table)[offset_of(at, row_major_strides(factor.domain))];
}

}  // namespace

gather_cursor::gather_cursor(const gather& gathering, std::span<const index_t> chunks,
                             const region& box, std::span<std::uint64_t> order)
    : map_(gathering), chunks_(chunks), chunk_(chunks.size()) {
  for (std::size_t axis = 0; axis < chunk_.size(); ++axis) {
    chunk_[axis] = gathering.into()[axis].offset / chunks_[axis];
  }
  std::size_t first_axis = 0;
  std::size_t first_read = 0;
  std::size_t ordered = 0;
  for (const gathered_axes& factor : gathering.factors()) {
    cursor& added = factors_.emplace_back();
    added.factor = &factor;
    added.first_axis = first_axis;
    for (std::size_t axis = first_axis; axis < first_axis + factor.domain.size(); ++axis) {
      added.box.start.push_back(box.start[axis]);
      added.box.stop.push_back(box.stop[axis]);
    }
    find_axes(added, gathering.into(), first_read);
    if (factor.table != nullptr) {
      const auto count = static_cast<std::size_t>(num_elements(added.box.shape()));
      added.order = order.subspan(ordered, count);
      ordered += count;
      added.hull = region::whole(factor.read);
      find_chunks(added);
      sort(added);
    } else {
      added.hull = hull_in_order(factor, added.box);
      find_chunks(added);
    }
    first_axis += factor.domain.size();
    first_read += factor.read.size();
  }
}

std::size_t gather_cursor::order_size(const gather& gathering, const index_vector& extents) {
  std::size_t size = 0;
  std::size_t axis = 0;
  for (const gathered_axes& factor : gathering.factors()) {
    index_t count = 1;
    for (std::size_t i = 0; i < factor.domain.size(); ++i) {
      count = checked_multiply(count, extents[axis++]);
    }
    if (factor.table != nullptr) size += static_cast<std::size_t>(count);
  }
  return size;
}

void gather_cursor::find_axes(cursor& factor, const index_map& into, std::size_t first_read) const {
  for (std::size_t axis = 0; axis < into.axes().size(); ++axis) {
    const axis_term* const term = into[axis].only_term();
    if (term == nullptr || term->axis < first_read ||
        term->axis >= first_read + factor.factor->read.size()) {
      continue;
    }
    factor.axes.push_back({axis, term->axis - first_read, into[axis].offset, term->step});
  }
}

void gather_cursor::find_chunks(cursor& factor) const {
  factor.chunks.start = factor.chunks.stop = index_vector(factor.axes.size());
  for (std::size_t i = 0; i < factor.axes.size(); ++i) {
    const array_axis& at = factor.axes[i];
    const index_t first = at.offset + at.step * factor.hull.start[at.read];
    const index_t last = at.offset + at.step * (factor.hull.stop[at.read] - 1);
    factor.chunks.start[i] = std::min(first, last) / chunks_[at.axis];
    factor.chunks.stop[i] = std::max(first, last) / chunks_[at.axis] + 1;
  }
}

void gather_cursor::sort(cursor& factor) const {
  const index_vector counts = factor.chunks.shape();
  index_t num_chunks = 1;
  const bool is_long = static_cast<index_t>(factor.order.size()) >= most_numbered;
  for (const index_t count : counts) {
    if (__builtin_mul_overflow(num_chunks, count, &num_chunks)) num_chunks = most_numbered;
  }
  if (is_long || num_chunks >= most_numbered) {
    throw shape_error(
        "a table of indices has at most 2^32 - 1 entries in a task, and leads to as many chunks; "
        "take fewer at once, or rechunk the array");
  }
  const index_vector strides = row_major_strides(counts);
  const index_vector& read = factor.factor->read;
  index_vector at(1);
  for (std::size_t n = 0; n < factor.order.size(); ++n) {
    at[0] = entry_at(*factor.factor, factor.box, static_cast<index_t>(n));
    if (read.size() != 1) at = unravelled(at[0], read);
    index_t number = 0;
    for (std::size_t i = 0; i < factor.axes.size(); ++i) {
      const array_axis& axis = factor.axes[i];
      const index_t index = axis.offset + axis.step * at[axis.read];
      number += (index / chunks_[axis.axis] - factor.chunks.start[i]) * strides[i];
    }
    factor.order[n] = (static_cast<std::uint64_t>(number) << position_bits) | n;
  }
  if (!std::is_sorted(factor.order.begin(), factor.order.end())) {
    std::sort(factor.order.begin(), factor.order.end());
  }
}

bool gather_cursor::is_here(cursor& factor) const {
  factor.here = factor.hull;
  for (std::size_t i = 0; i < factor.axes.size(); ++i) {
    const array_axis& at = factor.axes[i];
    const index_t chunk = chunks_[at.axis];
    const index_t first = factor.at[i] * chunk - at.offset;
    const index_t last = first + chunk - 1;
    // The range of indices with an image from `first` to `last`.
    const index_t low = at.step > 0 ? -detail::floor_quotient(-first, at.step)
                                    : -detail::floor_quotient(-last, at.step);
    const index_t high = detail::floor_quotient(at.step > 0 ? last : first, at.step) + 1;
    factor.here.start[at.read] = std::max(factor.here.start[at.read], low);
    factor.here.stop[at.read] = std::min(factor.here.stop[at.read], high);
  }
  if (factor.here.empty()) return false;
  return !detail::for_each_run(*factor.factor, factor.box, factor.here, {}, {},
                               [](const detail::gathered_run&) { return false; });
}

bool gather_cursor::start(cursor& factor) const {
  if (factor.factor->table != nullptr) {
    factor.end = 0;
    return advance(factor);
  }
  factor.at = factor.chunks.start;
  return is_here(factor) || advance(factor);
}

bool gather_cursor::advance(cursor& factor) const {
  if (factor.factor->table == nullptr) {
    const index_vector counts = factor.chunks.shape();
    index_vector position = factor.at;
    for (std::size_t i = 0; i < position.size(); ++i) position[i] -= factor.chunks.start[i];
    while (next_position(position, counts)) {
      for (std::size_t i = 0; i < position.size(); ++i) {
        factor.at[i] = factor.chunks.start[i] + position[i];
      }
      if (is_here(factor)) return true;
    }
    return false;
  }
  if (factor.end == factor.order.size()) return false;
  factor.begin = factor.end;
  const std::uint64_t number = factor.order[factor.begin] >> position_bits;
  while (factor.end < factor.order.size() && factor.order[factor.end] >> position_bits == number) {
    ++factor.end;
  }
  factor.at = unravelled(static_cast<index_t>(number), factor.chunks.shape());
  for (std::size_t i = 0; i < factor.at.size(); ++i) factor.at[i] += factor.chunks.start[i];
  return true;
}

void gather_cursor::take(const cursor& factor) {
  for (std::size_t i = 0; i < factor.axes.size(); ++i) chunk_[factor.axes[i].axis] = factor.at[i];
}

bool gather_cursor::next() {
  std::size_t changed = factors_.size();
  if (std::exchange(has_begun_, true)) {
    while (changed > 0 && !advance(factors_[changed - 1])) --changed;
    if (changed == 0) return false;
    take(factors_[changed - 1]);
  } else {
    changed = 0;
  }
  for (std::size_t i = changed; i < factors_.size(); ++i) {
    if (!start(factors_[i])) return false;
    take(factors_[i]);
  }
  return true;
}

bool gather_cursor::meets_all(const cursor& factor) const {
  const bool is_dense =
      std::all_of(factor.axes.begin(), factor.axes.end(),
                  [&](const array_axis& at) { return std::abs(at.step) <= chunks_[at.axis]; });
  return is_dense && factor.factor->table == nullptr &&
         factor.axes.size() == factor.factor->read.size() &&
         (factor.factor->is_plain() || factor.box == region::whole(factor.factor->domain));
}

index_t gather_cursor::count() {
  index_t product = 1;
  for (cursor& factor : factors_) {
    index_t count = 0;
    if (meets_all(factor)) {
      count = num_elements(factor.chunks.shape());
    } else {
      for (bool is_there = start(factor); is_there; is_there = advance(factor)) ++count;
    }
    if (__builtin_mul_overflow(product, count, &product)) {
      return std::numeric_limits<index_t>::max();
    }
  }
  return product;
}

/// Copies a chunk's elements: the box of plain factors, for each run or entry of the other factors.
struct gather_cursor::copying {
  const gather_cursor& owner;
  std::span<const index_t> to_strides;
  std::span<const index_t> from_strides;
  std::size_t itemsize;
  detail::copied_box box{};
  std::vector<const cursor*> others{};

  /// Returns the strides, in bytes, of the chunk along the axes that a factor reads. Moves `from`
  /// to the element of index 0, which may lie outside the chunk.
  [[nodiscard]] index_vector strides_of(const cursor& factor, const std::byte*& from) const {
    index_vector strides(factor.factor->read.size());
    for (const array_axis& at : factor.axes) {
      const index_t stride = from_strides[at.axis] * static_cast<index_t>(itemsize);
      from += (at.offset - owner.chunk_[at.axis] * owner.chunks_[at.axis]) * stride;
      strides[at.read] += at.step * stride;
    }
    return strides;
  }
  [[nodiscard]] index_vector domain_strides(const cursor& factor) const {
    index_vector strides(factor.factor->domain.size());
    for (std::size_t i = 0; i < strides.size(); ++i) {
      strides[i] = to_strides[factor.first_axis + i] * static_cast<index_t>(itemsize);
    }
    return strides;
  }

  void run(std::byte* to, const std::byte* from) {
    for (std::size_t axis = 0; axis < owner.chunk_.size(); ++axis) {
      const axis_map& m = owner.map_.into()[axis];
      if (!m.terms().empty()) continue;
      from += (m.offset - owner.chunk_[axis] * owner.chunks_[axis]) * from_strides[axis] *
              static_cast<index_t>(itemsize);
    }
    box.itemsize = itemsize;
    for (const cursor& factor : owner.factors_) {
      if (!factor.factor->is_plain()) {
        others.push_back(&factor);
        continue;
      }
      const index_t to_stride = domain_strides(factor)[0];
      const index_t from_stride = strides_of(factor, from)[0];
      to += (factor.here.start[0] - factor.box.start[0]) * to_stride;
      from += factor.here.start[0] * from_stride;
      box.add(factor.here.stop[0] - factor.here.start[0], to_stride, from_stride);
    }
    go_on(to, from, 0);
  }

  /// Copies for each run or entry of the factors `rest` from number `i` on.
  void go_on(std::byte* to, const std::byte* from, std::size_t i) {
    if (i == others.size()) return box.copy(to, from);
    const cursor& factor = *others[i];
    const index_vector read = strides_of(factor, from);
    const index_vector shown = domain_strides(factor);
    if (factor.factor->table != nullptr) return copy_entries(factor, to, shown, from, read, i);
    detail::for_each_run(*factor.factor, factor.box, factor.here, shown, read,
                         [&](const detail::gathered_run& run) {
                           box.add(run.size, run.to_stride, run.from_stride);
                           go_on(to + run.to, from + run.from, i + 1);
                           box.drop();
                           return true;
                         });
  }

  void copy_entries(const cursor& factor, std::byte* to, const index_vector& shown,
                    const std::byte* from, const index_vector& read, std::size_t i) {
    constexpr std::size_t most = 256;
    std::array<index_t, most> to_offsets;
    std::array<index_t, most> from_offsets;
    const index_vector shape = factor.box.shape();
    for (std::size_t first = factor.begin; first < factor.end; first += most) {
      const std::size_t count = std::min(most, factor.end - first);
      for (std::size_t n = 0; n < count; ++n) {
        const index_t position = position_of(factor.order[first + n]);
        const index_t entry = entry_at(*factor.factor, factor.box, position);
        to_offsets[n] =
            shown.size() == 1 ? position * shown[0] : offset_of(unravelled(position, shape), shown);
        from_offsets[n] = read.size() == 1
                              ? entry * read[0]
                              : offset_of(unravelled(entry, factor.factor->read), read);
      }
      if (i + 1 == others.size()) {
        box.copy_each(to, std::span(to_offsets).first(count), from,
                      std::span(from_offsets).first(count));
        continue;
      }
      for (std::size_t n = 0; n < count; ++n) {
        go_on(to + to_offsets[n], from + from_offsets[n], i + 1);
      }
    }
  }
};

void gather_cursor::copy(std::byte* to, std::span<const index_t> to_strides, const std::byte* from,
                         std::span<const index_t> from_strides, std::size_t itemsize) const {
  copying{*this, to_strides, from_strides, itemsize}.run(to, from);
}

region gathered_hull(const gather& gathering, const region& box) {
  region read;
  std::size_t axis = 0;
  for (const gathered_axes& factor : gathering.factors()) {
    region shown;
    for (std::size_t i = 0; i < factor.domain.size(); ++i, ++axis) {
      shown.start.push_back(box.start[axis]);
      shown.stop.push_back(box.stop[axis]);
    }
    region hull =
        factor.table == nullptr ? hull_in_order(factor, shown) : region::whole(factor.read);
    if (factor.table != nullptr && factor.domain.size() == 1) {
      const auto entries =
          factor.table->values().subspan(static_cast<std::size_t>(shown.start[0]),
                                         static_cast<std::size_t>(shown.stop[0] - shown.start[0]));
      const auto [least, greatest] = std::minmax_element(entries.begin(), entries.end());
      hull = hull_between(*least, *greatest, factor.read);
    }
    for (std::size_t i = 0; i < factor.read.size(); ++i) {
      read.start.push_back(hull.start[i]);
      read.stop.push_back(hull.stop[i]);
    }
  }
  return gathering.into().image(read);
}

index_t chunks_gathered(const gather& gathering, std::span<const index_t> chunks,
                        const region& box) {
  if (box.empty()) return 0;
  std::vector<std::uint64_t> order(gather_cursor::order_size(gathering, box.shape()));
  return gather_cursor(gathering, chunks, box, order).count();
}

}  // namespace tessera
