// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/block_runner.hpp"

#include "kernel/strip_evaluator.hpp"

#include <algorithm>
#include <bit>

namespace tessera {

namespace {

/// Strips shorter than this run along another, longer axis if there is one.
constexpr index_t short_strip = 64;

/// The loops over a block: extents, with the strides of everything that is walked along them.
struct loop_nest {
  index_vector extents;
  std::bitset<max_rank> reduced;
  std::vector<index_vector*> strides;

  /// Drops axes of length one and joins neighbours that are walked as if they were one axis.
  void simplify() {
    std::size_t kept = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (extents[axis] == 1) continue;
      if (kept > 0 && can_join(kept - 1, axis)) {
        move_axis(axis, kept - 1, extents[kept - 1] * extents[axis]);
      } else {
        move_axis(axis, kept, extents[axis]);
        ++kept;
      }
    }
    if (kept == 0) {
      make_unit_axis();
      kept = 1;
    }
    resize(kept);
  }

 private:
  [[nodiscard]] bool can_join(std::size_t outer, std::size_t inner) const {
    if (reduced[outer] != reduced[inner]) return false;
    return std::all_of(strides.begin(), strides.end(), [&](const index_vector* walk) {
      return (*walk)[outer] == (*walk)[inner] * extents[inner];
    });
  }

  void move_axis(std::size_t from, std::size_t to, index_t extent) {
    extents[to] = extent;
    reduced[to] = reduced[from];
    for (index_vector* walk : strides) (*walk)[to] = (*walk)[from];
  }

  /// Makes axis 0 one of length one, so that there is an axis to run along.
  void make_unit_axis() {
    if (extents.empty()) {
      extents.push_back(1);
      for (index_vector* walk : strides) walk->push_back(0);
    }
    extents[0] = 1;
    reduced[0] = false;
    for (index_vector* walk : strides) (*walk)[0] = 0;
  }

  void resize(std::size_t rank) {
    extents = index_vector(extents.begin(), extents.begin() + rank);
    for (index_vector* walk : strides) *walk = index_vector(walk->begin(), walk->begin() + rank);
  }
};

/// Returns the axis along which strips run: the last, unless it is short and a longer one will do.
template <class Predicate>
std::size_t choose_strip_axis(const loop_nest& loops, Predicate may_run_along) {
  std::size_t chosen = loops.extents.size() - 1;
  if (loops.extents[chosen] >= short_strip) return chosen;
  for (std::size_t axis = 0; axis < loops.extents.size(); ++axis) {
    if (may_run_along(axis) && loops.extents[axis] > loops.extents[chosen]) chosen = axis;
  }
  return chosen;
}

/// Calls `f` for each position along the axes where `is_walked`, the others left as they are.
template <class IsWalked, class F>
void for_each_position(index_vector& position, const index_vector& extents, IsWalked is_walked,
                       F f) {
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (is_walked(axis)) position[axis] = 0;
  }
  while (true) {
    f();
    std::size_t axis = extents.size();
    while (axis-- > 0) {
      if (!is_walked(axis)) continue;
      if (++position[axis] < extents[axis]) break;
      position[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) return;
  }
}

/// Calls `f(size)` for each strip along `axis`, with `position[axis]` at the strip's start.
template <class F>
void for_each_strip(index_vector& position, std::size_t axis, index_t extent, index_t longest,
                    F f) {
  for (index_t start = 0; start < extent; start += longest) {
    position[axis] = start;
    f(std::min(longest, extent - start));
  }
  position[axis] = 0;
}

/// Returns how long a strip of states may be so that they stay in the first-level cache, with the
/// registers that are folded into them again and again.
index_t longest_state_strip(const strip_program& program, std::span<const block_states> folds) {
  if (folds.empty()) return max_strip;
  constexpr std::size_t room = 24 * 1024;
  constexpr std::size_t shortest = 256;
  std::size_t bytes = 0;
  for (const dtype type : program.registers) bytes += size_of(type);
  for (const block_states& fold : folds) {
    for (const dtype type : fold.kernel->planes) bytes += size_of(type);
  }
  return std::min(max_strip,
                  static_cast<index_t>(std::bit_floor(std::max(room / bytes, shortest))));
}

/// A walk over one block, after its loops were simplified.
class block_walk {
 private:
  [[nodiscard]] auto is_kept() const {
    return [this](std::size_t axis) { return axis != axis_ && !loops_.reduced[axis]; };
  }
  [[nodiscard]] auto is_reduced() const {
    return [this](std::size_t axis) { return axis != axis_ && loops_.reduced[axis]; };
  }

 public:
  block_walk(const strip_program& program, std::span<const block_operand> operands,
             std::span<const strip_target> targets, std::span<const block_states> folds,
             const loop_nest& loops, const index_vector& state_strides, std::size_t axis,
             std::span<std::byte> scratch)
      : program_(program),
        targets_(targets),
        folds_(folds),
        loops_(loops),
        state_strides_(state_strides),
        axis_(axis),
        strips_(program, operands, axis, std::min(max_strip, loops_.extents[axis]), scratch),
        position_(loops_.extents.size()),
        state_strip_(longest_state_strip(program, folds)) {
    for (const block_states& fold : folds) planes_.emplace_back(fold.planes.size());
  }

  /// Strips run along a reduced axis: each folds into one state.
  void take_all(index_t taken) {
    for_each_position(position_, loops_.extents, is_kept(), [&] {
      find_planes();
      index_t count = taken;
      for_each_position(position_, loops_.extents, is_reduced(), [&] {
        for_each_strip(position_, axis_, loops_.extents[axis_], max_strip, [&](index_t size) {
          evaluate(size);
          for (std::size_t i = 0; i < folds_.size(); ++i) {
            folds_[i].kernel->take_all(planes_[i].data(), strips_.result(folds_[i].result), size,
                                       count);
          }
          count += size;
        });
      });
    });
  }

  /// Strips run along a kept axis: each element folds into its own state.
  void take_each(index_t taken) {
    for_each_state_strip([&](index_t size) {
      index_t count = taken;
      for_each_position(position_, loops_.extents, is_reduced(), [&] {
        evaluate(size);
        for (std::size_t i = 0; i < folds_.size(); ++i) {
          folds_[i].kernel->take_each(planes_[i].data(), strips_.result(folds_[i].result), size,
                                      count);
        }
        ++count;
      });
    });
  }

  /// As `take_each`, where the program's results are planes of states.
  void merge(index_t taken, index_t merged) {
    for_each_state_strip([&](index_t size) {
      evaluate(size);
      for (std::size_t i = 0; i < folds_.size(); ++i) {
        others_.resize(planes_[i].size());
        for (std::size_t plane = 0; plane < others_.size(); ++plane) {
          others_[plane] = strips_.result(folds_[i].result + plane);
        }
        folds_[i].kernel->merge(planes_[i].data(), others_.data(), size, taken, merged);
      }
    });
  }

 private:
  template <class F>
  void for_each_state_strip(F f) {
    for_each_position(position_, loops_.extents, is_kept(), [&] {
      for_each_strip(position_, axis_, loops_.extents[axis_], state_strip_, [&](index_t size) {
        find_planes();
        f(size);
      });
    });
  }

  /// Points `planes_` at the states of the current position.
  void find_planes() {
    if (folds_.empty()) return;
    const index_t offset = offset_of(position_, state_strides_);
    for (std::size_t i = 0; i < folds_.size(); ++i) {
      for (std::size_t plane = 0; plane < planes_[i].size(); ++plane) {
        const auto itemsize = static_cast<index_t>(size_of(folds_[i].kernel->planes[plane]));
        planes_[i][plane] = folds_[i].planes[plane] + offset * itemsize;
      }
    }
  }

  /// Evaluates the strip at the current position, and puts it where it is to go.
  void evaluate(index_t size) {
    for (const strip_target& target : targets_) {
      const index_t stride = target.to.strides[axis_];
      const bool is_dense = stride == itemsize_of(target) || size == 1;
      strips_.set_target(target.result, is_dense ? place_of(target) : nullptr);
    }
    strips_.evaluate(position_, size);
    for (const strip_target& target : targets_) {
      std::byte* const place = place_of(target);
      const std::byte* const made = strips_.result(target.result);
      if (made == place) continue;
      const index_t itemsize = itemsize_of(target);
      copy_strided(place, size == 1 ? itemsize : target.to.strides[axis_], made, itemsize, size,
                   static_cast<std::size_t>(itemsize));
    }
  }

  [[nodiscard]] index_t itemsize_of(const strip_target& target) const {
    return static_cast<index_t>(size_of(program_.registers[program_.results[target.result]]));
  }
  [[nodiscard]] std::byte* place_of(const strip_target& target) const {
    return target.to.data + offset_of(position_, target.to.strides);
  }

  const strip_program& program_;
  std::span<const strip_target> targets_;
  std::span<const block_states> folds_;
  const loop_nest& loops_;
  const index_vector& state_strides_;
  std::size_t axis_;
  strip_evaluator strips_;
  index_vector position_;
  index_t state_strip_;
  std::vector<std::vector<std::byte*>> planes_;
  std::vector<const std::byte*> others_;
};

}  // namespace

void run_strips(const strip_program& program, std::span<const block_operand> operands,
                std::span<const strip_target> targets, std::span<const block_states> folds,
                std::span<const index_t> extents, const fold_walk& how,
                std::span<std::byte> scratch) {
  std::vector<block_operand> sources(operands.begin(), operands.end());
  std::vector<strip_target> made(targets.begin(), targets.end());
  index_vector states(how.state_strides);
  loop_nest loops{index_vector(extents), how.reduced, {}};
  if (!folds.empty()) loops.strides.push_back(&states);
  for (block_operand& source : sources) loops.strides.push_back(&source.strides);
  for (strip_target& target : made) loops.strides.push_back(&target.to.strides);
  loops.simplify();
  const std::size_t axis = choose_strip_axis(loops, [&](std::size_t other) {
    return folds.empty() || loops.reduced[other] || states[other] == 1;
  });
  block_walk walk(program, sources, made, folds, loops, states, axis, scratch);
  if (how.merged > 0) {
    walk.merge(how.taken, how.merged);
  } else if (loops.reduced[axis]) {
    walk.take_all(how.taken);
  } else {
    walk.take_each(how.taken);
  }
}

void run_map(const strip_program& program, std::span<const block_operand> operands,
             std::span<const block_result> results, std::span<const index_t> extents,
             std::span<std::byte> scratch) {
  std::vector<strip_target> targets;
  for (std::size_t i = 0; i < results.size(); ++i) targets.push_back({i, results[i]});
  run_strips(program, operands, targets, {}, extents, {}, scratch);
}

}  // namespace tessera
