// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The note of a run that overwrites an array which it has read (core/api/overwriting.hpp).

#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <optional>
#include <string>

namespace tessera::detail {

/// The content of a note.
struct overwriting_note {
  /// The identity of the run.
  std::string run;
  /// The state of the array before the run changed it (`key_value_store::state`); of a copy: the
  /// process.
  std::string state;
  /// The metadata of the array before the run changed it.
  std::string metadata;
  /// Its attributes before the run changed it, which may name its dimensions.
  std::string attributes;
  /// The absolute path of the run's work directory, in which a record may make the note void
  /// (`record_of_whole_arrays`); "" for a copy.
  std::string work_dir;
};

/// Returns the note in the array at `path`, or nullopt if there is none, or if it is void.
///
/// Throws: zarr_error <- the note is malformed.
[[nodiscard]] std::optional<overwriting_note> read_note(const key_value_store& store,
                                                        const std::string& path);
void write_note(key_value_store& store, const std::string& path, const overwriting_note& note);
void erase_note(key_value_store& store, const std::string& path);

/// Tells whether this process copies to the array at `path` (`note_copy`).
[[nodiscard]] bool is_copied_here(const key_value_store& store, const std::string& path);

}  // namespace tessera::detail
