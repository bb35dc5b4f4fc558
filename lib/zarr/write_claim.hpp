// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The right to write an array, one writer for each element at a time.
///
/// A run claims each array, or each part of an array, before its first write there, and gives the
/// claim back at its end. Claims that meet, by the table, exclude each other: the second run fails
/// before its first write. A short change, such as a resize, runs while the store judges its claim:
/// other claims of the array wait for it.
///
///             | array | chunks          | end
///     array   | meet  | meet            | meet
///     chunks  |       | if they overlap | if they overlap
///     end     |       |                 | meet
///
/// A claim of a group excludes the claims of all arrays in it. A writer of an array looks for
/// claims of the groups above once its own claim is there. A writer of a group looks for claims of
/// its arrays once the group is claimed: of two such writers at least one sees the other.
///
/// The claim of a process that has died is gone (`key_value_store::claim`). The marks of its run
/// stay, so that the run may be continued, until another run has written over some of its chunks.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/region.hpp"
#include "tessera/store/key_value_store.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tessera::detail {

/// The part of an array that a writer claims.
struct claimed_part {
  enum class kind { array, chunks, end };

  kind extent = kind::array;
  /// The chunks, as a box of elements that begins and ends at bounds of chunks.
  region box = {};

  /// Tells whether claims of this part and of `part` exclude each other.
  [[nodiscard]] bool meets(const claimed_part& part) const;
};

/// A claim of a run.
class write_claim final : public array_claim {
 public:
  /// Claims a part of the array at `path`. `run` is the identity of the run, or "".
  ///
  /// Throws: zarr_error <- another writer, named in the message, has claimed a part that meets it,
  ///         or another process has claimed a group above.
  write_claim(std::shared_ptr<key_value_store> store, std::string path, const claimed_part& part,
              std::string_view run);

  /// Throws: zarr_error <- the array's folder has been removed.
  void confirm() const override;

 private:
  std::shared_ptr<key_value_store> store_;
  std::string path_;
  std::unique_ptr<store_claim> claim_;
};

/// Calls `change`, which alters the array at `path`, while no other writer has a claim of it. Waits
/// for other changes, and not for runs. `action` names the change in messages: "resize".
///
/// Throws: zarr_error <- a run has claimed a part of the array, or another process has claimed a
///         group above. Passes on errors of `change`.
void change_alone(key_value_store& store, const std::string& path, std::string_view action,
                  const std::function<void()>& change);

}  // namespace tessera::detail
