// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Primitives: what operations do with blocks.
///
/// A primitive is a value: it knows neither where its operands are stored nor who runs it. Passes,
/// buffer schedules, files, pictures and tasks know all primitives through this interface alone;
/// what a primitive does not know of is answered by "no".

#include "tessera/core/dtype.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/piece_list.hpp"
#include "tessera/primitive/stages.hpp"
#include "tessera/primitive/walk.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The steps [first, last] of a task's life in which something lives.
struct lifetime {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// What a task does with an operand.
struct operand_demand {
  bool is_used = false;
  /// From the first step that reads it to the last that uses what was read.
  lifetime used{};
  lifetime read{};
  /// Whether its elements must lie in memory, also where they are generated.
  bool is_whole = false;
  /// The part of the domain in which it is read; nothing: all of it.
  std::optional<region> where = {};
  /// Axes of the domain along which it is read where a step begins, and nowhere else.
  axis_set at_start = {};
};

/// Memory that a task needs besides its operands and outputs.
struct own_buffer {
  std::string name;
  std::size_t size = 0;
};

/// How long a task holds an output.
struct output_demand {
  /// From the step from which on it is made to that in which it is handed on.
  lifetime held{};
  /// What makes a part of it and hands that on.
  walk_stretch leaves_with = walk_stretch::task;
};

/// What a task needs, by step: said without a word about storage. The planner adds what reading and
/// writing take, and lays out the buffers.
struct task_demand {
  std::vector<operand_demand> operands;
  /// The last of all steps is that in which the last output is handed on.
  std::vector<output_demand> outputs;
  /// The last of the steps that are gone through again and again, where there are several steps or
  /// legs.
  std::size_t last_of_stream = 0;
  /// What live in all steps: they come as `task_blocks::own`, by number.
  std::vector<own_buffer> own;
  /// The bytes in which strips are made.
  std::size_t scratch = 0;
  /// Memory that a library takes in a task and keeps.
  std::vector<own_buffer> kept;
  /// Whether the one output is the one operand: chunks of it may be cut from where that lies,
  /// without a run.
  bool is_handed_on = false;
};

/// The blocks of one running task, as its primitive sees them.
class task_blocks {
 public:
  task_blocks() = default;
  task_blocks(const task_blocks&) = delete;
  task_blocks& operator=(const task_blocks&) = delete;
  virtual ~task_blocks() = default;

  [[nodiscard]] virtual const walk& how() const = 0;
  [[nodiscard]] virtual std::size_t num_operands() const = 0;
  /// Makes operand `i` ready over `box`, a box of the step that has begun, and returns it. What
  /// another step got is gone then.
  [[nodiscard]] virtual const block_operand& operand(std::size_t i, const region& box) = 0;
  /// Begins a leg or a step, over `box`: outputs that leave with it are made anew.
  virtual void begin(walk_stretch what, const region& box) = 0;
  /// Hands on what it has made of them.
  virtual void end(walk_stretch what) = 0;
  /// Returns the box that the task, the leg or the step makes of output `i`.
  [[nodiscard]] virtual const region& output_box(std::size_t i) const = 0;
  /// Returns where `box`, a box of output `i`, is made.
  [[nodiscard]] virtual block_result result(std::size_t i, const region& box) const = 0;
  [[nodiscard]] virtual std::span<std::byte> own(std::size_t i) const = 0;
  [[nodiscard]] virtual std::span<std::byte> scratch() const = 0;
};

/// An operation that nobody vouches for, and the rules that it keeps.
class operation_rules {
 public:
  operation_rules(const std::string& name, const walk& how, const std::vector<index_map>& maps,
                  std::vector<element_type> types, std::vector<index_vector> shapes);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const walk& how() const { return how_; }
  [[nodiscard]] const std::vector<index_map>& maps() const { return maps_; }
  [[nodiscard]] const std::vector<index_vector>& shapes() const { return shapes_; }
  /// The types of the operands. Throws value_error where one is not of numbers.
  [[nodiscard]] const std::vector<dtype>& types() const;
  [[nodiscard]] const std::vector<element_type>& element_types() const { return element_types_; }

  /// Throws value_error, which says what `rule` the operation breaks, unless it `holds`.
  void require(bool holds, const char* rule) const;
  /// Throws value_error unless an operand's map leads from all of `box` into the array.
  void check_image(std::size_t operand, const region& box) const;
  /// Throws value_error unless that holds for all operands and the whole domain.
  void check_images() const;
  /// Throws value_error unless offsets and steps of `map` are indices.
  void check_indices(const index_map& map) const;
  /// Throws value_error unless a block of `extents` has fewer than 2^48 elements, so that its bytes
  /// can be counted. Returns how many it has.
  index_t check_block(const index_vector& extents) const;
  /// Throws value_error unless each task walks all of `reduced`.
  void check_takes_all(axis_set reduced) const;

 private:
  const std::string& name_;
  const walk& how_;
  const std::vector<index_map>& maps_;
  std::vector<element_type> element_types_;
  /// Those of numbers.
  std::vector<dtype> types_;
  std::vector<index_vector> shapes_;
};

/// What the outputs of an operation are, for people.
struct description {
  /// For each output what it is computed as: "mean(u * v)".
  std::vector<std::string> outputs;
  /// All of it in a line: "mean(u * v), mean(u * u)".
  std::string label;
};

/// What is said of an operation's operands: their arrays' names, and what these are computed as.
struct operand_words {
  std::vector<std::string> names;
  std::vector<std::string> formulas;
};

/// What operations do with blocks.
///
/// Threads: never changes, so that any number of threads may use it.
class primitive {
 public:
  primitive() = default;
  virtual ~primitive() = default;

  /// Returns the name under which `register_primitive` knows how to make it.
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Returns JSON, an object, of which that makes an equal one. Requires: it is portable.
  [[nodiscard]] virtual std::string to_json() const = 0;
  /// Tells whether `other`, which is of the same kind, does the same.
  [[nodiscard]] virtual bool equals(const primitive& other) const = 0;
  /// Throws value_error where other processes cannot run it. `operation` and `label` say what it is
  /// part of.
  virtual void check_portable(const std::string& /*operation*/,
                              const std::string& /*label*/) const {}
  /// Returns the axes of the domain of which a task takes all: those that are folded or contracted
  /// away, which it may walk in several steps, and those that it needs whole.
  [[nodiscard]] virtual axis_set reduced() const { return {}; }
  /// Returns the axes along which a task of `how` takes its block step by step. Along the others it
  /// takes all of it at once, unless its memory says otherwise.
  [[nodiscard]] virtual axis_set in_steps(const walk& how) const { return reduced() | how.ordered; }
  /// Tells whether a task may go along other axes leg by leg.
  [[nodiscard]] virtual bool walks_in_order() const { return false; }
  /// Returns the outputs of an operation that walks like `how`.
  [[nodiscard]] virtual std::vector<output> outputs(const walk& how) const = 0;
  /// Throws value_error where an operation breaks a rule of this primitive.
  virtual void check(const operation_rules& rules) const = 0;
  /// Returns what a task on a block of `how` needs, given its number of operands.
  [[nodiscard]] virtual task_demand demand(const walk& how, std::size_t num_operands) const = 0;
  /// Makes what `box`, the box of a task or a part of one along axes that are not reduced, is of
  /// every output.
  virtual void run(task_blocks& blocks, const region& box) const = 0;
  [[nodiscard]] virtual description describe(const std::string& operation, const walk& how,
                                             const operand_words& words) const = 0;
  /// Tells whether it makes the same in larger blocks.
  [[nodiscard]] virtual bool may_grow() const { return false; }
  /// Tells whether it makes the same in smaller blocks along the axes that are not reduced.
  [[nodiscard]] virtual bool may_shrink() const { return false; }
  /// Returns the pieces that compute the whole domain element by element; null where it does
  /// anything else.
  [[nodiscard]] virtual const piece_list* as_elementwise() const { return nullptr; }
  /// Returns how many pieces a task on a block of `how` meets at most.
  [[nodiscard]] virtual std::size_t most_pieces(const walk& /*how*/) const { return 1; }
  /// Returns how many steps its longest program has.
  [[nodiscard]] virtual std::size_t num_steps() const { return 0; }
  /// Returns how many additions its heaviest program takes on an element.
  [[nodiscard]] virtual double weight() const { return 0; }
  /// Returns how many steps of a light kernel on an element, an addition, take as long as all that
  /// an operation that walks like `how` computes.
  [[nodiscard]] virtual double element_steps(const walk& how) const;
  /// Returns what makes the elements of `box`, a part of the domain that `how` walks, in a domain
  /// that begins where the box does. The box takes all of what is reduced, or walked in order, and
  /// along other axes begins at a block, unless it is in one. Null where there is no such thing.
  [[nodiscard]] virtual primitive_handle within(const walk& /*how*/, const region& /*box*/) const {
    return nullptr;
  }
  /// Whether its one output may be taken further, element by element, before it leaves.
  [[nodiscard]] virtual bool takes_epilogue() const { return false; }
  /// Whether `with_producer` returns anything.
  [[nodiscard]] virtual bool takes_producers() const { return false; }
  /// Returns this with operand `operand` of `num_operands`, which is seen through `map`, computed
  /// by `producer`, whose operands come behind the others; then `operand` is taken out, and those
  /// behind it move up. Returns null where the producer's pieces cut the domain into what are no
  /// boxes, or boxes that cannot be folded one after the other.
  [[nodiscard]] virtual primitive_handle with_producer(std::size_t /*operand*/,
                                                       std::size_t /*num_operands*/,
                                                       const index_map& /*map*/,
                                                       const piece_list& /*producer*/) const {
    return nullptr;
  }
  /// Returns this and `other` in one walk, with the operands, and the outputs, of `other` behind
  /// the `num_operands` of this; what `other` reduces, the walk takes in one task.
  [[nodiscard]] virtual primitive_handle beside(const primitive& /*other*/,
                                                std::size_t /*num_operands*/) const {
    return nullptr;
  }
  /// Returns this with operand `i` read from operand `places[i]` of `count`.
  [[nodiscard]] virtual primitive_handle with_operands(const std::vector<std::size_t>& /*places*/,
                                                       std::size_t /*count*/) const {
    return nullptr;
  }
  /// Returns this without the outputs that are not `needed`; null where it makes all or nothing.
  [[nodiscard]] virtual primitive_handle with_outputs(const std::vector<bool>& /*needed*/) const {
    return nullptr;
  }
  /// Return how its folds are done in two stages, for each set that differs, and a scan in three.
  [[nodiscard]] virtual std::vector<two_stages> in_stages() const { return {}; }
  [[nodiscard]] virtual std::optional<scan_stages> in_leaves() const { return std::nullopt; }

 protected:
  primitive(const primitive&) = default;
  primitive& operator=(const primitive&) = default;
};

/// Tells whether two primitives do the same.
[[nodiscard]] bool equal(const primitive& a, const primitive& b);

/// Makes a primitive of what `primitive::to_json` returned, of which nobody vouches for anything
/// but that it is JSON.
using primitive_factory = std::function<primitive_handle(const std::string& json)>;

/// Makes `make` known as the way to primitives of the kind `kind`, and returns true.
///
/// Call it before `main`, in every process alike: `const bool is_known = register_primitive(...);`
/// at namespace scope. Registering a kind again replaces it.
bool register_primitive(const std::string& kind, primitive_factory make);

/// Returns the primitive of the kind `kind` that `json` describes.
///
/// Throws: value_error <- no primitive of that kind is known; what its factory throws.
[[nodiscard]] primitive_handle parse_primitive(const std::string& kind, const std::string& json);

}  // namespace tessera
