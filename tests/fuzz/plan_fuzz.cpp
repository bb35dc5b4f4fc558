// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the text of a plan file, and runs the plan if it is small and in memory.
///
/// The input has no header and no checksum: no mutation would pass them.

#include "tessera/core/error.hpp"

#include "fuzz/plan_kernels.hpp"
#include "json/values.hpp"
#include "plan/plan_json.hpp"
#include "task/block_task.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <variant>
#include <vector>

namespace {

namespace ts = tessera;

[[maybe_unused]] const bool are_known = ts::testing::know_plan_kernels();

/// Tells whether all of `plan` is in memory, and so small that it runs in no time.
bool is_small(const ts::bounded_plan::implementation& plan) {
  constexpr ts::index_t most = 1 << 14;
  for (const ts::planned_array& array : plan.arrays) {
    if (std::holds_alternative<ts::stored_source>(array.placement) ||
        std::holds_alternative<ts::stored_placement>(array.placement) ||
        ts::num_elements(array.shape) > most) {
      return false;
    }
  }
  for (const ts::planned_operation& planned : plan.operations) {
    if (ts::num_elements(planned.op.schedule.domain) > most || planned.num_tasks > 64 ||
        planned.buffers.peak_bytes() > std::size_t{1} << 22) {
      return false;
    }
  }
  return plan.operations.size() <= 16;
}

void run(const ts::bounded_plan::implementation& inside) {
  std::vector<ts::live_array> arrays(inside.arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const ts::planned_array& planned = inside.arrays[i];
    arrays[i].planned = &planned;
    if (const auto* memory = std::get_if<ts::memory_source>(&planned.placement)) {
      arrays[i].data = memory->data;
      arrays[i].strides = memory->strides;
    } else if (std::holds_alternative<ts::memory_placement>(planned.placement)) {
      // Zeros are elements of every type.
      arrays[i].elements = std::make_shared<std::byte[]>(planned.size().count());
      arrays[i].data = arrays[i].elements.get();
      arrays[i].strides = ts::row_major_strides(planned.shape);
    }
  }
  for (const ts::planned_operation& planned : inside.operations) {
    constexpr std::size_t alignment = 64;
    std::vector<std::byte> memory(planned.buffers.arena_bytes() + alignment);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    const std::span<std::byte> arena(memory.data() + (alignment - address % alignment) % alignment,
                                     planned.buffers.arena_bytes());
    for (ts::index_t block = 0; block < planned.op.schedule.blocks().size(); ++block) {
      ts::block_task(planned, arrays, arena).run(planned.op.schedule.block_box(block));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  alignas(64) static constexpr std::array<std::byte, 1024> elements{};
  try {
    const auto text = ts::fields::parse({reinterpret_cast<const char*>(data), size});
    const ts::bounded_plan::implementation plan = ts::parse_plan(text, {elements, nullptr});
    if (is_small(plan)) run(plan);
  } catch (const ts::error&) {
  } catch (const nlohmann::json::exception&) {
  }
  return 0;
}
