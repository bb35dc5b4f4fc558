// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Primitives: the computations of operations, as functions of blocks.
///
/// A primitive is a value. It knows neither the storage of its operands nor the engine. Passes,
/// buffer schedules, files, pictures and tasks know all primitives through this interface alone. A
/// primitive answers "no" to a question that it does not know.

#include "tessera/core/dtype.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/loop_schedule.hpp"
#include "tessera/primitive/piece_list.hpp"
#include "tessera/primitive/stages.hpp"
#include "tessera/primitive/task_blocks.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// An untrusted operation, and checks of the rules that it must keep.
class operation_rules {
 public:
  operation_rules(const std::string& name, const loop_schedule& schedule,
                  const std::vector<index_map>& maps, std::vector<element_type> types,
                  std::vector<index_vector> shapes);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const loop_schedule& schedule() const { return schedule_; }
  [[nodiscard]] const std::vector<index_map>& maps() const { return maps_; }
  [[nodiscard]] const std::vector<index_vector>& shapes() const { return shapes_; }
  /// The types of the operands. Throws value_error if one is no number.
  [[nodiscard]] const std::vector<dtype>& types() const;
  [[nodiscard]] const std::vector<element_type>& element_types() const { return element_types_; }

  /// Throws value_error, with operation and `rule`, unless the rule `holds`.
  void require(bool holds, const char* rule) const;
  /// Throws value_error unless an operand's map leads from all of `box` into the array.
  void check_image(std::size_t operand, const region& box) const;
  /// Does so for all operands and the whole domain.
  void check_images() const;
  /// Throws value_error unless offsets and steps of `map` are indices.
  void check_indices(const index_map& map) const;
  /// Throws value_error unless a block of `extents` has fewer than 2^48 elements, so that its bytes
  /// can be counted. Returns how many it has.
  index_t check_block(const index_vector& extents) const;
  /// Throws value_error unless blocks cover the domain along `reduced`.
  void check_takes_all(axis_set reduced) const;

 private:
  const std::string& name_;
  const loop_schedule& schedule_;
  const std::vector<index_map>& maps_;
  std::vector<element_type> element_types_;
  /// The types of `element_types_`, if all are numbers.
  std::vector<dtype> types_;
  std::vector<index_vector> shapes_;
};

/// The formulas of an operation, for people.
struct description {
  /// The formula of each output: "mean(u * v)".
  std::vector<std::string> outputs;
  /// All of it in a line: "mean(u * v), mean(u * u)".
  std::string label;
};

/// The operands of an operation, for people: the names of the arrays, and their formulas.
struct operand_words {
  std::vector<std::string> names;
  std::vector<std::string> formulas;
};

/// The computation of an operation, as a function of blocks.
///
/// Threads: never changes, so that any number of threads may use it.
class primitive {
 public:
  primitive() = default;
  virtual ~primitive() = default;

  /// Returns the name of its kind in `register_primitive`.
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Returns a JSON object that an equal primitive is parsed from. Requires: it is portable.
  [[nodiscard]] virtual std::string to_json() const = 0;
  /// Tells whether `rhs_base`, of the same kind, computes the same.
  [[nodiscard]] virtual bool equals(const primitive& rhs_base) const = 0;
  /// Throws value_error, with `operation` and `label`, if other processes cannot run it.
  virtual void check_portable(const std::string& /*operation*/,
                              const std::string& /*label*/) const {}
  /// Returns the axes that a task covers: folded or contracted axes, which may have several steps,
  /// and axes that it needs whole.
  [[nodiscard]] virtual axis_set reduced() const { return {}; }
  /// Returns the axes along which a task of `schedule` has several steps. Along other axes a step
  /// is the block, unless memory demands smaller ones.
  [[nodiscard]] virtual axis_set in_steps(const loop_schedule& schedule) const {
    return reduced() | schedule.ordered;
  }
  /// Tells whether axes that it keeps may be `ordered`.
  [[nodiscard]] virtual bool can_sweep() const { return false; }
  /// Returns the outputs of an operation under `schedule`.
  [[nodiscard]] virtual std::vector<output> outputs(const loop_schedule& schedule) const = 0;
  /// Throws value_error if the operation breaks a rule of this primitive.
  virtual void check(const operation_rules& rules) const = 0;
  /// Returns the needs of a task on a block of `schedule`, with `num_operands` operands.
  [[nodiscard]] virtual task_demand demand(const loop_schedule& schedule,
                                           std::size_t num_operands) const = 0;
  /// Starts the computation of every output over `box`, a sweep of a task, or its whole box if a
  /// state is carried from sweep to sweep. The caller drives it: it takes the steps of a sweep one
  /// after the other, or a sweep at once if a state is carried. Returns nullptr if the primitive
  /// computes only by `run`; then it begins and ends the scopes of its task itself.
  [[nodiscard]] virtual std::unique_ptr<block_computation> start(task_blocks& blocks,
                                                                 const region& box) const;
  /// Tells whether `start` returns a computation.
  [[nodiscard]] virtual bool is_passive() const { return false; }
  /// Returns the state that is carried from sweep to sweep, or nullopt if there is none.
  [[nodiscard]] virtual std::optional<carried_state> carries() const { return std::nullopt; }
  /// Computes every output over `box`: the box of a task, or a part of it along kept axes. Drives a
  /// passive primitive through the sweeps and steps of the schedule.
  virtual void run(task_blocks& blocks, const region& box) const;
  [[nodiscard]] virtual description describe(const std::string& operation,
                                             const loop_schedule& schedule,
                                             const operand_words& words) const = 0;
  /// Tells whether larger blocks have the same results.
  [[nodiscard]] virtual bool may_grow() const { return false; }
  /// Tells whether smaller blocks along the kept axes have the same results.
  [[nodiscard]] virtual bool may_shrink() const { return false; }
  /// Returns the pieces that compute the whole domain element by element, or nullptr if it is not
  /// elementwise.
  [[nodiscard]] virtual const piece_list* as_elementwise() const { return nullptr; }
  /// Returns an upper bound of the pieces that a block of `schedule` meets.
  [[nodiscard]] virtual std::size_t most_pieces(const loop_schedule& /*schedule*/) const {
    return 1;
  }
  /// Returns the number of steps of its longest program.
  [[nodiscard]] virtual std::size_t num_steps() const { return 0; }
  /// Returns the time of its heaviest program for an element, in additions.
  [[nodiscard]] virtual double weight() const { return 0; }
  /// Returns the time of an operation under `schedule`, in additions of an element.
  [[nodiscard]] virtual double element_steps(const loop_schedule& schedule) const;
  /// Returns the primitive that computes `box` of the domain in a domain that begins with the box,
  /// or nullptr if there is none. The box covers reduced and ordered axes; along other axes it
  /// begins at a block, or lies in one.
  [[nodiscard]] virtual primitive_handle within(const loop_schedule& /*schedule*/,
                                                const region& /*box*/) const {
    return nullptr;
  }
  /// Tells whether an elementwise epilogue may follow its only output in the task.
  [[nodiscard]] virtual bool takes_epilogue() const { return false; }
  /// Tells whether `with_producers` may return a primitive.
  [[nodiscard]] virtual bool takes_producers() const { return false; }
  /// Returns this with `operands`, in ascending order, computed by their producers. The operands of
  /// the producers are appended, then `operands` are removed. Returns nullptr if the producers'
  /// pieces cut the domain into other parts than boxes, or into boxes that cannot be folded one
  /// after the other.
  [[nodiscard]] virtual primitive_handle with_producers(
      std::span<const inlined_operand> /*operands*/) const {
    return nullptr;
  }
  /// Returns this and `sibling` over one domain, or nullptr. The operands of `sibling` follow the
  /// `num_operands` of this, and its outputs the outputs of this; a task covers its reduced axes.
  [[nodiscard]] virtual primitive_handle beside(const primitive& /*sibling*/,
                                                std::size_t /*num_operands*/) const {
    return nullptr;
  }
  /// Returns this with operand `i` read from operand `positions[i]` of `count`.
  [[nodiscard]] virtual primitive_handle with_operands(
      const std::vector<std::size_t>& /*positions*/, std::size_t /*count*/) const {
    return nullptr;
  }
  /// Returns this without the outputs that are not `needed`, or nullptr if it cannot omit them.
  [[nodiscard]] virtual primitive_handle with_outputs(const std::vector<bool>& /*needed*/) const {
    return nullptr;
  }
  /// Return two stages for each set of folds over equal axes, and three stages of a scan.
  [[nodiscard]] virtual std::vector<two_stages> in_stages() const { return {}; }
  [[nodiscard]] virtual std::optional<scan_stages> in_leaves() const { return std::nullopt; }

 protected:
  primitive(const primitive&) = default;
  primitive& operator=(const primitive&) = default;
};

/// Tells whether two primitives compute the same.
[[nodiscard]] bool equal(const primitive& a, const primitive& b);

/// Parses a primitive from untrusted JSON of the form of `primitive::to_json`.
using primitive_factory = std::function<primitive_handle(const std::string& json)>;

/// Registers `make` as the factory of primitives of the kind `kind`, and returns true.
///
/// Call it before `main`, in every process alike: `const bool is_known = register_primitive(...);`
/// at namespace scope. Registering a kind again replaces it.
bool register_primitive(const std::string& kind, primitive_factory make);

/// Returns the primitive of the kind `kind` that `json` describes.
///
/// Throws: value_error <- no primitive of that kind is registered; the errors of the factory.
[[nodiscard]] primitive_handle parse_primitive(const std::string& kind, const std::string& json);

}  // namespace tessera
