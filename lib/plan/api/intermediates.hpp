// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Hashes by which processes recognise a program, its tasks and its intermediates.

#include "tessera/plan/bounded_plan.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

class array_source;
class overwriting_destination;
struct planned_array;

/// The hashes of the contents of the sources of a plan. The state of a stored array is asked for
/// once, although the identity of a plan and the names of its intermediates depend on it: it looks
/// at each chunk.
class content_hashes {
 public:
  /// `plan` outlives this.
  explicit content_hashes(const bounded_plan::implementation& plan);

  /// Returns the hash of the contents of a source, or "" if its description is its contents.
  [[nodiscard]] std::string hash_of(const planned_array& array);

 private:
  [[nodiscard]] std::string state_of(const array_source& source) const;

  std::vector<const overwriting_destination*> results_;
  /// The sources of a hash value, and the hashes of their contents.
  std::multimap<std::size_t, std::pair<std::shared_ptr<const array_source>, std::string>> stored_;
};

/// Returns `plan.identity()`, by contents that may be known.
///
/// Throws: value_error <- as `bounded_plan::identity`.
[[nodiscard]] std::string identity_of(const bounded_plan& plan, content_hashes& contents);

/// Returns a hash of the tasks of a plan: their blocks, steps and legs, and the chunks of their
/// outputs. Plans of one program for hosts with different memory may differ in it.
[[nodiscard]] std::string hash_of_tasks(const bounded_plan::implementation& plan);

/// Returns a name for each array of a plan: empty unless it is an intermediate in storage.
///
/// A name has 32 hexadecimal digits. They are equal in two plans of one program exactly if formula
/// and chunks of the array are equal.
///
/// Throws: value_error <- as `bounded_plan::check_portable`.
[[nodiscard]] std::vector<std::string> names_of_intermediates(
    const bounded_plan::implementation& plan, content_hashes& contents);

}  // namespace tessera
