// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/primitive/primitive.hpp"

#include "core/api/gather.hpp"
#include "core/api/wide_integer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera {

operation_rules::operation_rules(const std::string& name, const loop_schedule& schedule,
                                 const std::vector<index_map>& maps,
                                 std::vector<element_type> types, std::vector<index_vector> shapes)
    : name_(name),
      schedule_(schedule),
      maps_(maps),
      element_types_(std::move(types)),
      shapes_(std::move(shapes)) {
  for (const element_type& type : element_types_) {
    if (type.is_number()) types_.push_back(type.number());
  }
}

const std::vector<dtype>& operation_rules::types() const {
  require(types_.size() == element_types_.size(),
          "elements other than numbers are copied, not computed with");
  return types_;
}

void operation_rules::require(bool holds, const char* rule) const {
  if (holds) return;
  throw value_error(
      fmt::format("the operation '{}' breaks the rule that {}; its domain is {}, in blocks of {} "
                  "and steps of {}",
                  name_, rule, format_shape(schedule_.domain), format_shape(schedule_.block),
                  format_shape(schedule_.step)));
}

namespace {

// Each term is linear, so the extremes of the sum are the sums of the extremes of its terms.
bool maps_into(const index_map& map, const region& box, const index_vector& shape) {
  for (std::size_t k = 0; k < shape.size(); ++k) {
    wide_integer least = map[k].offset;
    wide_integer greatest = map[k].offset;
    for (const axis_term& term : map[k].terms()) {
      const wide_integer first = static_cast<wide_integer>(term.step) * box.start[term.axis];
      const wide_integer last = static_cast<wide_integer>(term.step) * (box.stop[term.axis] - 1);
      least += std::min(first, last);
      greatest += std::max(first, last);
    }
    if (least < 0 || greatest >= shape[k]) return false;
  }
  return true;
}

/// Tells whether `n` may be an index, counted from either end.
bool is_index(index_t n) { return -greatest_index < n && n < greatest_index; }

/// Tells whether the offsets and steps of a map may be indices.
bool is_of_indices(const index_map& map) {
  return std::all_of(map.axes().begin(), map.axes().end(), [](const axis_map& m) {
    return is_index(m.offset) &&
           std::all_of(m.terms().begin(), m.terms().end(),
                       [](const axis_term& term) { return is_index(term.step); });
  });
}

}  // namespace

void operation_rules::check_indices(const index_map& map) const {
  const gather* const behind = map.gather().get();
  require(is_of_indices(map) && (behind == nullptr || is_of_indices(behind->into())),
          "offsets and steps are indices");
}

index_t operation_rules::check_block(const index_vector& extents) const {
  constexpr index_t limit = index_t{1} << 48;
  index_t count = 1;
  for (const index_t extent : extents) {
    require(!__builtin_mul_overflow(count, extent, &count) && count < limit,
            "a block has fewer than 2^48 elements");
  }
  return count;
}

void operation_rules::check_image(std::size_t operand, const region& box) const {
  if (box.empty()) return;
  const index_map& map = maps_[operand];
  const gather* const behind = map.gather().get();
  bool is_inside = maps_into(map, box, behind == nullptr ? shapes_[operand] : behind->domain());
  if (behind != nullptr) {
    is_inside =
        is_inside && maps_into(behind->into(), region::whole(behind->read()), shapes_[operand]);
  }
  require(is_inside, "a map leads into the array");
}

void operation_rules::check_images() const {
  for (std::size_t i = 0; i < maps_.size(); ++i) check_image(i, region::whole(schedule_.domain));
}

void operation_rules::check_takes_all(axis_set reduced) const {
  require(schedule_.takes_all(reduced), "a block holds all that is folded into one element");
}

}  // namespace tessera
