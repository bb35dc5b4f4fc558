// SPDX-License-Identifier: Apache-2.0
#include "primitive/prologue/computed.hpp"

#include "tessera/core/floor_quotient.hpp"
#include "tessera/core/wide_integer.hpp"

#include "primitive/strips/pieces.hpp"
#include "primitive/strips/program_rules.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

bool computed_operand::operator==(const computed_operand& other) const {
  return axes == other.axes && grown == other.grown && are_equal(pieces, other.pieces);
}

namespace detail {

namespace {

/// Returns the axis by whose extent `axis` is longer; nothing where there is none.
std::optional<std::size_t> grown_by(const computed_operand& computed, std::size_t axis) {
  for (const grown_axis& each : computed.grown) {
    if (each.axis == axis) return each.by;
  }
  return std::nullopt;
}

/// Returns all places that any domain has.
region everywhere(const computed_operand& computed, std::size_t rank) {
  region all{index_vector(rank, 0), index_vector(rank, 1)};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!computed.axes[axis]) continue;
    all.start[axis] = -greatest_index;
    all.stop[axis] = greatest_index;
  }
  return all;
}

/// Takes of `places` those that `offset + step * place` leads into [start, stop).
void clip(region& places, const axis_map& map, std::size_t axis, index_t start, index_t stop) {
  const index_t step = map.step_along(axis);
  const index_t first = (step > 0 ? start : stop - 1) - map.offset;
  const index_t last = (step > 0 ? stop - 1 : start) - map.offset;
  places.start[axis] = std::max(places.start[axis], -floor_quotient(-first, step));
  places.stop[axis] = std::min(places.stop[axis], floor_quotient(last, step) + 1);
  places.stop[axis] = std::max(places.start[axis], places.stop[axis]);
}

/// Returns those of `places` that `map`, that of an operand, leads into `box`; nothing where they
/// are no box.
std::optional<region> led_into(const computed_operand& computed, const index_map& map,
                               const region& box, region places) {
  for (std::size_t k = 0; k < map.array_rank(); ++k) {
    std::optional<std::size_t> along;
    for (const axis_term& term : map[k].terms()) {
      if (!computed.axes[term.axis]) continue;
      if (along) return std::nullopt;
      along = term.axis;
    }
    if (along) {
      clip(places, map[k], *along, box.start[k], box.stop[k]);
    } else if (map[k].offset < box.start[k] || box.stop[k] <= map[k].offset) {
      places.stop = places.start;
    }
  }
  return places;
}

/// Tells whether each axis of the domain is that of one window at most.
bool are_apart(const computed_operand& computed, const index_map& map) {
  const auto is_seen_once = [&map](std::size_t axis) {
    return std::count_if(map.axes().begin(), map.axes().end(),
                         [axis](const axis_map& m) { return m.depends_on(axis); }) == 1;
  };
  return std::all_of(computed.grown.begin(), computed.grown.end(), [&](const grown_axis& each) {
    return is_seen_once(each.axis) && is_seen_once(each.by);
  });
}

}  // namespace

dtype type_of(const computed_operand& computed) {
  return result_types(computed.pieces.front().program).front();
}

index_map map_to(const computed_operand& computed, std::size_t rank) {
  std::vector<axis_map> axes;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!computed.axes[axis]) continue;
    axes.emplace_back(axis, 0, 1);
    if (const auto by = grown_by(computed, axis)) axes.back().add({*by, 1});
  }
  return {rank, std::move(axes)};
}

region places_in(const computed_operand& computed, const region& box) {
  region places{index_vector(box.rank(), 0), index_vector(box.rank(), 1)};
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (!computed.axes[axis]) continue;
    places.start[axis] = box.start[axis];
    places.stop[axis] = box.stop[axis];
    if (const auto by = grown_by(computed, axis)) {
      places.start[axis] += box.start[*by];
      places.stop[axis] += box.stop[*by] - 1;
    }
  }
  return places;
}

region positions_of(const computed_operand& computed, const region& places, const region& box) {
  region found = box;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (!computed.axes[axis]) continue;
    const index_t first = places.start[axis];
    const index_t stop = places.stop[axis];
    const auto by = grown_by(computed, axis);
    found.start[axis] = by ? first - (box.stop[*by] - 1) : first;
    found.stop[axis] = by ? stop - box.start[*by] : stop;
    if (!by) continue;
    found.start[*by] = first - (box.stop[axis] - 1);
    found.stop[*by] = stop - box.start[axis];
  }
  return intersect(box, found);
}

// Along a window, its beginning moves on before it is left.
region showing(const computed_operand& computed, const region& places, region box) {
  const region whole = box;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (!computed.axes[axis]) continue;
    const index_t first = places.start[axis];
    const index_t length = places.stop[axis] - first;
    const auto by = grown_by(computed, axis);
    index_t seen = 1;
    if (by) {
      const index_t begin = std::min(first - whole.start[axis], whole.stop[*by] - 1);
      seen = std::min(length, whole.stop[*by] - begin);
      box.start[*by] = begin;
      box.stop[*by] = begin + seen;
    }
    box.start[axis] = by ? first - box.start[*by] : first;
    box.stop[axis] = box.start[axis] + length - seen + 1;
  }
  return box;
}

std::size_t steps_of(const computed_operand& computed) {
  std::size_t steps = 0;
  for (const piece& part : computed.pieces) steps += part.operands.size() + 1;
  return steps;
}

double heaviest_program(const computed_operand& computed) {
  double most = 0;
  for (const piece& part : computed.pieces) most = std::max(most, weight_of(part.program));
  return most;
}

std::optional<computed_operand> computed_by(const index_map& map, const piece_list& producer,
                                            std::size_t first) {
  if (map.behind() != nullptr) return std::nullopt;
  computed_operand made;
  for (const axis_map& along : map.axes()) {
    const auto terms = along.terms();
    if (terms.empty()) continue;
    made.axes.set(terms[0].axis);
    if (terms.size() == 1) continue;
    if (terms.size() > 2 || terms[0].step != terms[1].step) return std::nullopt;
    made.grown.push_back({terms[0].axis, terms[1].axis});
  }
  if (!are_apart(made, map)) return std::nullopt;
  std::vector<piece> pieces;
  for (const piece& inner : producer) {
    const auto places = led_into(made, map, inner.where, everywhere(made, map.domain_rank()));
    if (!places) return std::nullopt;
    // What has no elements is one piece.
    if (places->empty() && producer.size() > 1) continue;
    pieces.push_back({*places, {}, inner.program});
    for (const std::size_t each : inner.operands) pieces.back().operands.push_back(first + each);
  }
  if (pieces.empty()) return std::nullopt;
  made.pieces = piece_list(std::move(pieces));
  return made;
}

std::optional<computed_operand> inline_producer(const computed_operand& computed,
                                                std::size_t operand, const index_map& map,
                                                const piece_list& producer, std::size_t first) {
  // A gather leads the boxes of several pieces to no boxes.
  if (map.behind() != nullptr && producer.size() > 1) return std::nullopt;
  std::vector<piece> pieces;
  for (const piece& part : computed.pieces) {
    const auto& used = part.operands;
    const bool uses_it = std::find(used.begin(), used.end(), operand) != used.end();
    if (!uses_it || producer.size() == 1) {
      pieces.push_back(tessera::inline_producer(part, operand, producer.front(), first));
      continue;
    }
    for (const piece& inner : producer) {
      const auto places = led_into(computed, map, inner.where, part.where);
      if (!places) return std::nullopt;
      if (places->empty()) continue;
      pieces.push_back(tessera::inline_producer(part, operand, inner, first));
      pieces.back().where = *places;
    }
  }
  if (pieces.empty()) return std::nullopt;
  return computed_operand{piece_list(std::move(pieces)), computed.axes, computed.grown};
}

computed_operand within(const computed_operand& computed, const region& box) {
  const region places = places_in(computed, box);
  std::vector<piece> pieces;
  for (const piece& part : computed.pieces.near(places)) {
    piece moved{intersect(part.where, places), part.operands, part.program};
    if (moved.where.empty() && computed.pieces.size() > 1) continue;
    for (std::size_t axis = 0; axis < places.rank(); ++axis) {
      moved.where.start[axis] -= places.start[axis];
      moved.where.stop[axis] -= places.start[axis];
    }
    pieces.push_back(std::move(moved));
  }
  return {piece_list(std::move(pieces)), computed.axes, computed.grown};
}

namespace {

void check_axes(const operation_rules& rules, const computed_operand& computed) {
  const std::size_t rank = rules.how().rank();
  rules.require((computed.axes >> rank).none(), "what is computed goes along the domain");
  axis_set taken = computed.axes;
  axis_set longer;
  for (const grown_axis& each : computed.grown) {
    rules.require(each.axis < rank && computed.axes[each.axis] && !longer[each.axis] &&
                      each.by < rank && !taken[each.by],
                  "what is computed grows by an axis of its own");
    taken.set(each.by);
    longer.set(each.axis);
  }
}

/// Checks how an operand of `computed` is seen at `places`.
void check_operand(const operation_rules& rules, const computed_operand& computed,
                   std::size_t operand, const region& places) {
  rules.require(operand < rules.maps().size(), "the operands of a prologue are the operation's");
  const index_map& map = rules.maps()[operand];
  for (const axis_map& along : map.axes()) {
    for (const grown_axis& each : computed.grown) {
      rules.require(along.step_along(each.axis) == along.step_along(each.by),
                    "what is computed sees its operands in the same steps along windows");
    }
    for (const axis_term& term : along.terms()) {
      const bool is_window =
          std::any_of(computed.grown.begin(), computed.grown.end(),
                      [&term](const grown_axis& each) { return each.by == term.axis; });
      rules.require(computed.axes[term.axis] || is_window,
                    "what is computed goes along all that it depends on");
    }
  }
  rules.check_image(operand, places);
}

}  // namespace

void check_computed(const operation_rules& rules, const computed_operand& computed) {
  check_axes(rules, computed);
  const std::size_t rank = rules.how().rank();
  const region all = places_in(computed, region::whole(rules.how().domain));
  rules.require(computed.pieces.size() > 0, "what is computed has pieces");
  wide_integer covered = 0;
  for (const piece& part : computed.pieces) {
    rules.require(part.where.start.size() == rank && part.where.stop.size() == rank,
                  "a piece is a box of places");
    const region places = intersect(part.where, all);
    covered += static_cast<wide_integer>(places.num_elements());
    std::vector<dtype> taken;
    for (const std::size_t operand : part.operands) {
      check_operand(rules, computed, operand, places);
      taken.push_back(rules.types()[operand]);
    }
    check_program(rules, part.program, taken);
    rules.require(
        part.program.results.size() == 1 && result_types(part.program).front() == type_of(computed),
        "an operand is computed by one result");
  }
  rules.require(covered == static_cast<wide_integer>(all.num_elements()),
                "pieces cover what is computed");
  for (const piece& part : computed.pieces) {
    for (const piece& other : computed.pieces.near(part.where)) {
      rules.require(&other == &part || intersect(other.where, part.where).empty(),
                    "pieces do not overlap");
    }
  }
}

}  // namespace detail

}  // namespace tessera
