// SPDX-License-Identifier: Apache-2.0
#include "primitive/prologue/computed.hpp"

#include "core/api/floor_quotient.hpp"
#include "core/api/wide_integer.hpp"
#include "primitive/pieces/pieces.hpp"
#include "primitive/pieces/program_rules.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

bool computed_operand::operator==(const computed_operand& rhs) const {
  return axes == rhs.axes && grown == rhs.grown && are_equal(pieces, rhs.pieces);
}

namespace detail {

namespace {

/// Returns the window axis of `axis`, or nullopt if `axis` is not grown.
std::optional<std::size_t> grown_by(const computed_operand& computed, std::size_t axis) {
  for (const grown_axis& grown : computed.grown) {
    if (grown.axis == axis) return grown.by;
  }
  return std::nullopt;
}

/// Returns the box of the operand in an unbounded domain.
region unbounded_box(const computed_operand& computed, std::size_t rank) {
  region box{index_vector(rank, 0), index_vector(rank, 1)};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!computed.axes[axis]) continue;
    box.start[axis] = -greatest_index;
    box.stop[axis] = greatest_index;
  }
  return box;
}

/// Clips `coordinates` along `axis` to each p with `offset + step * p` in [start, stop).
void clip(region& coordinates, const axis_map& map, std::size_t axis, index_t start, index_t stop) {
  const index_t step = map.step_along(axis);
  const index_t first = (step > 0 ? start : stop - 1) - map.offset;
  const index_t last = (step > 0 ? stop - 1 : start) - map.offset;
  coordinates.start[axis] = std::max(coordinates.start[axis], -floor_quotient(-first, step));
  coordinates.stop[axis] = std::min(coordinates.stop[axis], floor_quotient(last, step) + 1);
  coordinates.stop[axis] = std::max(coordinates.start[axis], coordinates.stop[axis]);
}

/// Returns the part of `coordinates` that `map`, the map of an operand, leads into `box`, or
/// nullopt if it is not a box.
std::optional<region> preimage_in(const computed_operand& computed, const index_map& map,
                                  const region& box, region coordinates) {
  for (std::size_t k = 0; k < map.array_rank(); ++k) {
    std::optional<std::size_t> operand_axis;
    for (const axis_term& term : map[k].terms()) {
      if (!computed.axes[term.axis]) continue;
      if (operand_axis) return std::nullopt;
      operand_axis = term.axis;
    }
    if (operand_axis) {
      clip(coordinates, map[k], *operand_axis, box.start[k], box.stop[k]);
    } else if (map[k].offset < box.start[k] || box.stop[k] <= map[k].offset) {
      coordinates.stop = coordinates.start;
    }
  }
  return coordinates;
}

/// Tells whether each axis of the domain belongs to one window at most.
bool have_separate_windows(const computed_operand& computed, const index_map& map) {
  const auto is_in_one_axis = [&map](std::size_t axis) {
    return std::count_if(map.axes().begin(), map.axes().end(),
                         [axis](const axis_map& m) { return m.depends_on(axis); }) == 1;
  };
  return std::all_of(computed.grown.begin(), computed.grown.end(), [&](const grown_axis& grown) {
    return is_in_one_axis(grown.axis) && is_in_one_axis(grown.by);
  });
}

}  // namespace

dtype type_of(const computed_operand& computed) {
  return result_types(computed.pieces.front().program).front();
}

index_map operand_map(const computed_operand& computed, std::size_t rank) {
  std::vector<axis_map> axes;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!computed.axes[axis]) continue;
    axes.emplace_back(axis, 0, 1);
    if (const auto by = grown_by(computed, axis)) axes.back().add({*by, 1});
  }
  return {rank, std::move(axes)};
}

region operand_box(const computed_operand& computed, const region& box) {
  region coordinates{index_vector(box.rank(), 0), index_vector(box.rank(), 1)};
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (!computed.axes[axis]) continue;
    coordinates.start[axis] = box.start[axis];
    coordinates.stop[axis] = box.stop[axis];
    if (const auto by = grown_by(computed, axis)) {
      coordinates.start[axis] += box.start[*by];
      coordinates.stop[axis] += box.stop[*by] - 1;
    }
  }
  return coordinates;
}

region domain_hull(const computed_operand& computed, const region& coordinates, const region& box) {
  region result = box;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (!computed.axes[axis]) continue;
    const index_t first = coordinates.start[axis];
    const index_t stop = coordinates.stop[axis];
    const auto by = grown_by(computed, axis);
    result.start[axis] = by ? first - (box.stop[*by] - 1) : first;
    result.stop[axis] = by ? stop - box.start[*by] : stop;
    if (!by) continue;
    result.start[*by] = first - (box.stop[axis] - 1);
    result.stop[*by] = stop - box.start[axis];
  }
  return intersect(box, result);
}

// Of all pairs (i, w) with the wanted sums, take the least i for which w is inside the box.
region covering_box(const computed_operand& computed, const region& coordinates, region box) {
  const region domain_box = box;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (!computed.axes[axis]) continue;
    const index_t first = coordinates.start[axis];
    const index_t length = coordinates.stop[axis] - first;
    const auto by = grown_by(computed, axis);
    index_t num_windows = 1;
    if (by) {
      const index_t begin = std::min(first - domain_box.start[axis], domain_box.stop[*by] - 1);
      num_windows = std::min(length, domain_box.stop[*by] - begin);
      box.start[*by] = begin;
      box.stop[*by] = begin + num_windows;
    }
    box.start[axis] = by ? first - box.start[*by] : first;
    box.stop[axis] = box.start[axis] + length - num_windows + 1;
  }
  return box;
}

std::size_t count_steps(const computed_operand& computed) {
  std::size_t steps = 0;
  for (const piece& part : computed.pieces) steps += part.operands.size() + 1;
  return steps;
}

double heaviest_program(const computed_operand& computed) {
  double most = 0;
  for (const piece& part : computed.pieces) most = std::max(most, weight_of(part.program));
  return most;
}

std::optional<computed_operand> make_computed(const index_map& map, const piece_list& producer,
                                              std::size_t first) {
  if (map.gather() != nullptr) return std::nullopt;
  computed_operand computed;
  for (const axis_map& array_axis : map.axes()) {
    const auto terms = array_axis.terms();
    if (terms.empty()) continue;
    computed.axes.set(terms[0].axis);
    if (terms.size() == 1) continue;
    if (terms.size() > 2 || terms[0].step != terms[1].step) return std::nullopt;
    computed.grown.push_back({terms[0].axis, terms[1].axis});
  }
  if (!have_separate_windows(computed, map)) return std::nullopt;
  std::vector<piece> pieces;
  for (const piece& producer_piece : producer) {
    const auto coordinates =
        preimage_in(computed, map, producer_piece.box, unbounded_box(computed, map.domain_rank()));
    if (!coordinates) return std::nullopt;
    // An operand without elements has one piece.
    if (coordinates->empty() && producer.size() > 1) continue;
    pieces.push_back({*coordinates, {}, producer_piece.program});
    for (const std::size_t number : producer_piece.operands) {
      pieces.back().operands.push_back(first + number);
    }
  }
  if (pieces.empty()) return std::nullopt;
  computed.pieces = piece_list(std::move(pieces));
  return computed;
}

std::optional<computed_operand> inline_producer(const computed_operand& computed,
                                                std::size_t operand, const index_map& map,
                                                const piece_list& producer, std::size_t first) {
  // The preimage of a box under a gather is not a box.
  if (map.gather() != nullptr && producer.size() > 1) return std::nullopt;
  std::vector<piece> pieces;
  for (const piece& part : computed.pieces) {
    const auto& used = part.operands;
    const bool is_consumer = std::find(used.begin(), used.end(), operand) != used.end();
    if (!is_consumer || producer.size() == 1) {
      pieces.push_back(tessera::inline_producer(part, operand, producer.front(), first));
      continue;
    }
    for (const piece& producer_piece : producer) {
      const auto coordinates = preimage_in(computed, map, producer_piece.box, part.box);
      if (!coordinates) return std::nullopt;
      if (coordinates->empty()) continue;
      pieces.push_back(tessera::inline_producer(part, operand, producer_piece, first));
      pieces.back().box = *coordinates;
    }
  }
  if (pieces.empty()) return std::nullopt;
  return computed_operand{piece_list(std::move(pieces)), computed.axes, computed.grown};
}

computed_operand restrict_to(const computed_operand& computed, const region& box) {
  const region coordinates = operand_box(computed, box);
  std::vector<piece> pieces;
  for (const piece& part : computed.pieces.near(coordinates)) {
    piece shifted{intersect(part.box, coordinates), part.operands, part.program};
    if (shifted.box.empty() && computed.pieces.size() > 1) continue;
    for (std::size_t axis = 0; axis < coordinates.rank(); ++axis) {
      shifted.box.start[axis] -= coordinates.start[axis];
      shifted.box.stop[axis] -= coordinates.start[axis];
    }
    pieces.push_back(std::move(shifted));
  }
  return {piece_list(std::move(pieces)), computed.axes, computed.grown};
}

namespace {

void check_axes(const operation_rules& rules, const computed_operand& computed) {
  const std::size_t rank = rules.schedule().rank();
  rules.require((computed.axes >> rank).none(), "a computed operand has axes of the domain");
  axis_set used_axes = computed.axes;
  axis_set grown_axes;
  for (const grown_axis& grown : computed.grown) {
    rules.require(grown.axis < rank && computed.axes[grown.axis] && !grown_axes[grown.axis] &&
                      grown.by < rank && !used_axes[grown.by],
                  "a grown axis has a window axis that no computed axis uses");
    used_axes.set(grown.by);
    grown_axes.set(grown.axis);
  }
}

/// Checks the map of an operand of `computed`, over `coordinates`.
void check_operand(const operation_rules& rules, const computed_operand& computed,
                   std::size_t operand, const region& coordinates) {
  rules.require(operand < rules.maps().size(), "the operands of a prologue are the operation's");
  const index_map& map = rules.maps()[operand];
  for (const axis_map& array_axis : map.axes()) {
    for (const grown_axis& grown : computed.grown) {
      rules.require(array_axis.step_along(grown.axis) == array_axis.step_along(grown.by),
                    "operands of a computed operand have equal steps along an axis and its window");
    }
    for (const axis_term& term : array_axis.terms()) {
      const bool is_window =
          std::any_of(computed.grown.begin(), computed.grown.end(),
                      [&term](const grown_axis& grown) { return grown.by == term.axis; });
      rules.require(computed.axes[term.axis] || is_window,
                    "a computed operand has every axis that its operands depend on");
    }
  }
  rules.check_image(operand, coordinates);
}

}  // namespace

void check_computed(const operation_rules& rules, const computed_operand& computed) {
  check_axes(rules, computed);
  const std::size_t rank = rules.schedule().rank();
  const region operand_region = operand_box(computed, region::whole(rules.schedule().domain));
  rules.require(computed.pieces.size() > 0, "a computed operand has pieces");
  wide_integer covered = 0;
  for (const piece& part : computed.pieces) {
    rules.require(part.box.start.size() == rank && part.box.stop.size() == rank,
                  "a piece of a computed operand has the rank of the domain");
    const region coordinates = intersect(part.box, operand_region);
    covered += static_cast<wide_integer>(coordinates.num_elements());
    std::vector<dtype> types;
    for (const std::size_t operand : part.operands) {
      check_operand(rules, computed, operand, coordinates);
      types.push_back(rules.types()[operand]);
    }
    check_program(rules, part.program, types);
    rules.require(
        part.program.results.size() == 1 && result_types(part.program).front() == type_of(computed),
        "an operand is computed by one result");
  }
  rules.require(covered == static_cast<wide_integer>(operand_region.num_elements()),
                "pieces cover the computed operand");
  for (const piece& part : computed.pieces) {
    for (const piece& neighbour : computed.pieces.near(part.box)) {
      rules.require(&neighbour == &part || intersect(neighbour.box, part.box).empty(),
                    "pieces do not overlap");
    }
  }
}

}  // namespace detail

}  // namespace tessera
