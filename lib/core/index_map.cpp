// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/index_map.hpp"

#include "tessera/core/error.hpp"

#include "core/api/gather.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace tessera {

namespace {

/// Returns the position of the term of `axis` in sorted terms, or the position to insert it.
std::size_t position_of(std::span<const axis_term> terms, std::size_t axis) {
  const auto term_at = std::find_if(terms.begin(), terms.end(),
                                    [axis](const axis_term& term) { return term.axis >= axis; });
  return static_cast<std::size_t>(term_at - terms.begin());
}

/// Returns the composition of `outer`, the map of an array axis, after `inner`, or nullopt if it
/// has too many terms.
std::optional<axis_map> seen_through(const axis_map& outer, const index_map& inner) {
  axis_map composition = outer.offset;
  std::array<axis_term, axis_map::max_terms * axis_map::max_terms> terms{};
  std::size_t count = 0;
  for (const axis_term& o : outer.terms()) {
    const axis_map& through = inner[o.axis];
    composition.offset += o.step * through.offset;
    for (const axis_term& i : through.terms()) {
      const auto same = std::find_if(terms.begin(), terms.begin() + count,
                                     [&i](const axis_term& term) { return term.axis == i.axis; });
      if (same == terms.begin() + count) terms[count++] = {i.axis, 0};
      same->step += o.step * i.step;
    }
  }
  const auto last = std::remove_if(terms.begin(), terms.begin() + count,
                                   [](const axis_term& term) { return term.step == 0; });
  if (last - terms.begin() > static_cast<std::ptrdiff_t>(axis_map::max_terms)) return std::nullopt;
  for (auto term = terms.begin(); term != last; ++term) composition.add(*term);
  return composition;
}

}  // namespace

void axis_map::add(const axis_term& term) {
  const std::size_t position = position_of(terms(), term.axis);
  const bool is_there = position < count_ && terms_[position].axis == term.axis;
  if (!is_there && term.step == 0) return;
  if (is_there) {
    terms_[position].step += term.step;
    if (terms_[position].step != 0) return;
    std::move(terms_.begin() + position + 1, terms_.begin() + count_, terms_.begin() + position);
    terms_[--count_] = {};
    return;
  }
  if (count_ == max_terms) {
    throw shape_error(fmt::format("an axis of an array has at most {} terms in a map", max_terms));
  }
  std::move_backward(terms_.begin() + position, terms_.begin() + count_,
                     terms_.begin() + count_ + 1);
  terms_[position] = term;
  ++count_;
}

index_t axis_map::step_along(std::size_t axis) const {
  const std::size_t position = position_of(terms(), axis);
  return position < count_ && terms_[position].axis == axis ? terms_[position].step : 0;
}

index_t axis_map::spacing() const {
  index_t divisor = 0;
  for (const axis_term& term : terms()) divisor = std::gcd(divisor, term.step);
  return divisor == 0 ? 1 : divisor;
}

index_map::index_map() = default;
index_map::index_map(std::size_t domain_rank, std::vector<axis_map> axes,
                     std::shared_ptr<const tessera::gather> gather)
    : domain_rank_(domain_rank), axes_(std::move(axes)), gather_(std::move(gather)) {}
index_map::index_map(const index_map&) = default;
index_map::index_map(index_map&&) noexcept = default;
index_map& index_map::operator=(const index_map&) = default;
index_map& index_map::operator=(index_map&&) noexcept = default;
index_map::~index_map() = default;

index_map index_map::identity(std::size_t rank) {
  std::vector<axis_map> axes(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) axes[axis] = {axis, 0, 1};
  return {rank, std::move(axes)};
}

std::size_t index_map::array_rank() const {
  return gather_ == nullptr ? axes_.size() : gather_->into().axes().size();
}

bool index_map::operator==(const index_map& rhs) const {
  return domain_rank_ == rhs.domain_rank_ && axes_ == rhs.axes_ &&
         (gather_ == rhs.gather_ ||
          (gather_ != nullptr && rhs.gather_ != nullptr && *gather_ == *rhs.gather_));
}

bool index_map::is_identity() const {
  if (gather_ != nullptr || domain_rank_ != axes_.size()) return false;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (axes_[axis] != axis_map{axis, 0, 1}) return false;
  }
  return true;
}

bool index_map::depends_on(std::size_t axis) const {
  return std::any_of(axes_.begin(), axes_.end(),
                     [axis](const axis_map& m) { return m.depends_on(axis); });
}

// An array axis determines the positions of its terms if they are like digits of a number: each
// step exceeds the reach of all smaller steps. Terms that other array axes determine are constants.
bool index_map::is_injective(std::span<const index_t> extents) const {
  if (gather_ != nullptr && !gather_->is_injective()) return false;
  std::vector<bool> is_known(domain_rank_);
  for (std::size_t axis = 0; axis < domain_rank_; ++axis) is_known[axis] = extents[axis] <= 1;
  const auto tells = [&](const axis_map& m) {
    std::vector<axis_term> digits;
    for (const axis_term& term : m.terms()) {
      if (!is_known[term.axis]) digits.push_back({term.axis, std::abs(term.step)});
    }
    std::sort(digits.begin(), digits.end(),
              [](const axis_term& a, const axis_term& b) { return a.step < b.step; });
    index_t reach = 0;
    for (const axis_term& digit : digits) {
      if (digit.step <= reach) return false;
      index_t reach_of_digit = 0;
      if (__builtin_mul_overflow(digit.step, extents[digit.axis] - 1, &reach_of_digit) ||
          __builtin_add_overflow(reach, reach_of_digit, &reach)) {
        return false;
      }
    }
    for (const axis_term& digit : digits) is_known[digit.axis] = true;
    return !digits.empty();
  };
  while (std::any_of(axes_.begin(), axes_.end(), tells)) {
  }
  return std::all_of(is_known.begin(), is_known.end(), [](bool known) { return known; });
}

index_vector index_map::operator()(std::span<const index_t> position) const {
  index_vector index(axes_.size());
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    index[k] = axes_[k].offset;
    for (const axis_term& term : axes_[k].terms()) index[k] += term.step * position[term.axis];
  }
  return index;
}

// The minimum of a sum over a box is the sum of the minima: terms have different axes.
region index_map::image(const region& box) const {
  region reached{index_vector(axes_.size()), index_vector(axes_.size())};
  const bool is_empty = box.empty();
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const axis_map& m = axes_[k];
    index_t& start = reached.start[k];
    index_t& stop = reached.stop[k];
    if (is_empty) {
      start = stop = m.terms().empty() ? m.offset : std::max<index_t>(0, m.offset);
      continue;
    }
    start = stop = m.offset;
    for (const axis_term& term : m.terms()) {
      const index_t first = term.step * box.start[term.axis];
      const index_t last = term.step * (box.stop[term.axis] - 1);
      start += std::min(first, last);
      stop += std::max(first, last);
    }
    ++stop;
  }
  return reached;
}

index_vector index_map::strides(std::span<const index_t> array_strides) const {
  index_vector strides(domain_rank_, 0);
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    for (const axis_term& term : axes_[k].terms()) {
      strides[term.axis] += term.step * array_strides[k];
    }
  }
  return strides;
}

namespace {

/// Returns the compositions of the axes of `outer` after `inner`, or nullopt if an axis has too
/// many terms.
std::optional<std::vector<axis_map>> axes_through(const index_map& outer, const index_map& inner) {
  std::vector<axis_map> axes;
  for (const axis_map& m : outer.axes()) {
    const std::optional<axis_map> axis = seen_through(m, inner);
    if (!axis) return std::nullopt;
    axes.push_back(*axis);
  }
  return axes;
}

bool is_simple(const std::vector<axis_map>& axes) {
  return std::all_of(axes.begin(), axes.end(),
                     [](const axis_map& m) { return m.terms().size() <= 1; });
}

/// Returns the composition of `outer` after `inner`, or nullopt if no index_map expresses it.
///
/// An index_map is an affine map, then a gather, then the gather's affine map into the array. A
/// composition composes adjacent affine maps, and joins adjacent gathers.
std::optional<index_map> composed(const index_map& outer, const index_map& inner) {
  if (inner.gather() == nullptr) {
    std::optional<std::vector<axis_map>> axes = axes_through(outer, inner);
    if (!axes) return std::nullopt;
    return index_map(inner.domain_rank(), std::move(*axes), outer.gather());
  }
  const gather& near = *inner.gather();
  std::optional<std::vector<axis_map>> into = axes_through(outer, near.into());
  if (!into || !is_simple(*into)) return std::nullopt;
  std::optional<gather> joint =
      gather(near.factors(), {near.into().domain_rank(), std::move(*into)});
  if (outer.gather() != nullptr) joint = joined(*outer.gather(), *joint);
  if (!joint) return std::nullopt;
  return index_map(inner.domain_rank(), inner.axes(),
                   std::make_shared<const gather>(std::move(*joint)));
}

}  // namespace

bool can_compose(const index_map& outer, const index_map& inner) {
  return composed(outer, inner).has_value();
}

index_map compose(const index_map& outer, const index_map& inner) {
  std::optional<index_map> composition = composed(outer, inner);
  if (!composition) {
    throw shape_error(
        fmt::format("a view sees an axis along more than {} of its own, as windows of windows "
                    "do, or gathers across a gather; store or rechunk the inner view first",
                    axis_map::max_terms));
  }
  return std::move(*composition);
}

namespace {

std::string axis_name(std::size_t axis) {
  return axis < 18 ? std::string(1, static_cast<char>('i' + static_cast<char>(axis)))
                   : fmt::format("i{}", axis);
}

std::string equation(const axis_map& m) {
  std::string text = m.offset == 0 && !m.terms().empty() ? "" : std::to_string(m.offset);
  for (const axis_term& term : m.terms()) {
    const char* const plus = text.empty() ? "" : " + ";
    const char* const minus = text.empty() ? "-" : " - ";
    const index_t size = std::abs(term.step);
    text += (term.step < 0 ? minus : plus) + (size == 1 ? "" : fmt::format("{} ", size)) +
            axis_name(term.axis);
  }
  return text;
}

}  // namespace

std::string format_index_map(const index_map& map) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < map.domain_rank(); ++axis) {
    text += (axis == 0 ? "" : ", ") + axis_name(axis);
  }
  text += ") -> (";
  for (std::size_t k = 0; k < map.axes().size(); ++k)
    text += (k == 0 ? "" : ", ") + equation(map[k]);
  if (map.gather() == nullptr) return text + ")";
  return text + fmt::format("), gathered from {}", format_shape(map.gather()->read()));
}

}  // namespace tessera
