// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/fingerprint.hpp"
#include "tessera/plan/planned.hpp"
#include "tessera/plan/program_identity.hpp"

#include "plan/plan_json.hpp"

namespace tessera {

std::string bounded_plan::identity() const {
  check_portable();
  fingerprint hash;
  hash.add(program_identity());
  std::size_t num_bytes = 0;
  hash.add(plan_json(*implementation_, num_bytes).dump());
  write_memory_elements(*implementation_,
                        [&hash](std::span<const std::byte> piece) { hash.add(piece); });
  for (const planned_array& array : implementation_->arrays) {
    const auto* stored = std::get_if<stored_source>(&array.place);
    if (stored != nullptr) hash.add(stored->array->state());
  }
  return hash.digits();
}

}  // namespace tessera
