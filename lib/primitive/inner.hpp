// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What primitives that are made of others have in common.

#include "tessera/core/region.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

namespace tessera::detail {

/// Returns a primitive within another, as that writes it.
[[nodiscard]] nlohmann::json inner_json(const primitive& what);

/// Returns a primitive that a primitive of kind `outer` has within it. Throws value_error where it
/// may not be there: cascades are around all others, epilogues around what holds a block, and that
/// around prologues, so that files cannot make them as deep as they like.
[[nodiscard]] primitive_handle parse_inner(std::string_view outer, const nlohmann::json& value);

/// Returns where `box`, a part of `whole` that lies at `at`, is.
[[nodiscard]] block_result part_of(block_result at, const region& whole, const region& box);

/// Returns where `box` is made, a part of `whole`, whose elements lie densely in `memory`.
[[nodiscard]] block_result dense_result(std::span<std::byte> memory, std::size_t itemsize,
                                        const region& whole, const region& box);

/// A task as a primitive within the task's own sees it: the same but for what is overridden.
class inner_blocks : public task_blocks {
 public:
  explicit inner_blocks(task_blocks& all) : all_(all) {}

  [[nodiscard]] const walk& how() const override { return all_.how(); }
  [[nodiscard]] std::size_t num_operands() const override { return all_.num_operands(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    return all_.operand(i, box);
  }
  void begin(walk_stretch what, const region& box) override { all_.begin(what, box); }
  void end(walk_stretch what) override { all_.end(what); }
  [[nodiscard]] const region& output_box(std::size_t i) const override {
    return all_.output_box(i);
  }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override {
    return all_.result(i, box);
  }
  [[nodiscard]] std::span<std::byte> own(std::size_t i) const override { return all_.own(i); }
  [[nodiscard]] std::span<std::byte> scratch() const override { return all_.scratch(); }

 protected:
  [[nodiscard]] task_blocks& all() const { return all_; }

 private:
  task_blocks& all_;
};

}  // namespace tessera::detail
