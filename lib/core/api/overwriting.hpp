// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stored arrays that a plan reads and writes.
///
/// Problem: a task that is run again must read the same elements, and so must a run that is begun
/// again after it was killed. Neither holds once the run has changed an array that it reads.
///
/// Idea: the plan computes such a result into an intermediate. Behind all readers of the array, a
/// copy of the intermediate becomes the result. Before its first change, the run leaves a note in
/// the array: its identity, and the state and the description of the array before the change. As
/// long as there is the note, the array is described as it was, so that the same program has the
/// same identity and continues its run. No plan reads elements of an array with a note.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

class array_source;

/// In place of a run: a copy by the program `tessera`, whose note stays until the copy has ended.
inline constexpr std::string_view run_of_copy = "copy";

/// Returns the name of the record in a work directory which says that the notes of `run` are void:
/// all arrays that it overwrites are whole. The notes are files of several arrays, which are
/// removed one after the other; the record makes all of them void at once.
[[nodiscard]] std::string record_of_whole_arrays(std::string_view run);

/// Returns the reason for which an array with a note of `run` is not read, for messages.
[[nodiscard]] std::string reason_of_note(std::string_view run);

/// The interface of sources that a run may overwrite.
class overwritable_source {
 public:
  /// Returns a text that is equal for sources and destinations of one array, or nullopt if no
  /// overwriting changes the elements that are read.
  [[nodiscard]] virtual std::optional<std::string> location() const = 0;

  /// Returns the run that has begun to overwrite the array and has not ended, or nullopt if there
  /// is none.
  [[nodiscard]] virtual std::optional<std::string> unfinished_run() const = 0;

 protected:
  ~overwritable_source() = default;
};

/// The interface of destinations that may be the array of a source.
class overwriting_destination {
 public:
  /// Returns the location of the source of which a run that writes here changes elements, or
  /// nullopt if it changes no elements that readers see.
  [[nodiscard]] virtual std::optional<std::string> overwritten_location() const = 0;

  /// Tells whether a run that writes here creates the whole array.
  [[nodiscard]] virtual bool replaces_array() const = 0;

  /// Tells whether the array outlives this process, as other processes can open its store.
  [[nodiscard]] virtual bool outlives_process() const = 0;

  /// Leaves the note of the run `run` in the array, unless it is there. Call it before the first
  /// change. The note is void as soon as `work_dir` has the record of whole arrays of the run.
  virtual void leave_note(const std::string& run, const std::string& work_dir) const = 0;

  /// Removes the note of any run. Call it when the array is whole.
  virtual void remove_note() const = 0;

  /// Returns the state of the elements of `source` if a run that writes here writes some of its
  /// chunks again and changes none of its elements; else nullopt, and the state of the source is
  /// its own. It is equal before and after the chunks are written, so that the run goes on.
  [[nodiscard]] virtual std::optional<std::string> state_of_kept_elements(
      const array_source& source) const = 0;

  /// Returns the appends that were stopped and that a run that writes here makes impossible to
  /// continue, by their identities.
  [[nodiscard]] virtual std::vector<std::string> stopped_appends() const = 0;

  /// Throws zarr_error if the destination is a part of an array in which a run other than `run` has
  /// left a note.
  virtual void refuse_unfinished(const std::string& run) const = 0;

 protected:
  ~overwriting_destination() = default;
};

}  // namespace tessera
