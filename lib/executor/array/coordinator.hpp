// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The coordinator of a run in a store.
///
/// Problem: two programs may start the same run in a bucket, and one that was killed must be
/// replaced. A store has no locks.
///
/// Idea: the coordinators of a run are numbered. Number n is the program that has created the key
/// `epoch/<n>`, on the condition that it was missing:
///
///     epoch/1    epoch/2      numbers that were given; the largest one is in force
///     alive/1    alive/2      the sign of life of a coordinator: it changes with each renewal
///
/// A program that finds epoch n watches `alive/<n>`. If the sign changes, the coordinator lives,
/// and the program ends. If the sign is older than `silence`, the program creates `epoch/<n+1>`.
/// The store decides on a race. The coordinator of epoch n finds `epoch/<n+1>` at its next renewal,
/// and ends. For some seconds both may run: tasks are idempotent, and each epoch has a folder of
/// its own.
///
/// Age: the server's clock tells it, if the store has `dated_values`. Otherwise it is the time for
/// which the program has watched.
/// Reference: leases and fencing tokens (Gray and Cheriton, SOSP 1989; Lamport's ballots).

#include "tessera/store/key_value_store.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tessera::job_arrays {

/// The times of coordinators.
struct coordination_times {
  /// Between two renewals of a sign of life.
  std::chrono::milliseconds renewal{20'000};
  /// The age of a sign at which its coordinator counts as dead.
  std::chrono::milliseconds silence{90'000};
  /// Between two looks of a program that watches a sign.
  std::chrono::milliseconds look{5'000};
};

/// A clock that can wait.
struct waiting_clock {
  std::function<std::chrono::steady_clock::time_point()> now;
  std::function<void(std::chrono::milliseconds)> sleep;

  /// Returns the clock of the machine. A wait ends early if an interrupt is requested.
  [[nodiscard]] static waiting_clock of_machine();
};

/// The last sign of life of the coordinators of a run.
struct sign_of_life {
  /// The latest epoch, or 0 without one.
  std::uint64_t epoch = 0;
  /// The first line of `self` of its coordinator.
  std::string driver;
  /// By the server's clock; nullopt if the store does not tell the ages of values.
  std::optional<std::chrono::seconds> age;
};

/// Throws: store_error <- the store fails.
[[nodiscard]] sign_of_life last_sign_of_life(const key_value_store& store);

/// An epoch of a run, in the program that coordinates it.
class coordinator {
 public:
  /// Takes the next epoch of the run in `store`. It watches the coordinator of the present epoch
  /// until that has shown life or was silent for too long. `self` is this program in words, and in
  /// further lines the notes for its successor.
  ///
  /// Throws: value_error <- another program coordinates the run; the store has no conditional
  ///                        writes.
  ///         interrupted_error <- an interrupt is requested.
  ///         store_error <- the store fails.
  coordinator(std::shared_ptr<key_value_store> store, std::string self,
              const coordination_times& times = {},
              const waiting_clock& clock = waiting_clock::of_machine());

  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  /// Returns the text `self` of the coordinator before this one; "" if there was none.
  [[nodiscard]] const std::string& predecessor() const { return predecessor_; }

  /// Renews the sign of life, or notices a later epoch. A failure of the store is ignored: the next
  /// renewal tries again.
  void renew() noexcept;

  /// Asks the store for a later epoch.
  ///
  /// Throws: value_error <- there is one. store_error <- the store fails.
  void confirm();

  /// Throws value_error if a later epoch was noticed.
  void require_unchallenged() const;

  /// Removes all values of the run unless a later epoch was noticed; ignores failures.
  void end() noexcept;

 private:
  void take(const coordination_times& times, const waiting_clock& clock);
  [[nodiscard]] bool has_successor() const;
  void write_sign();

  std::shared_ptr<key_value_store> store_;
  std::string self_;
  std::string predecessor_;
  std::uint64_t epoch_ = 0;
  std::uint64_t num_signs_ = 0;
  std::atomic<bool> is_superseded_ = false;
};

}  // namespace tessera::job_arrays
