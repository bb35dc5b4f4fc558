// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A claim of a key in a bucket, seen by all processes that use the bucket.
///
/// Problem: claims take turns and end with their process, and a server knows no processes.
///
/// Idea: the claims of the key "a/x" are values in a folder beside it, which no list shows:
///
///     a/.tessera-claims-of-x.__lock/.turn       the turn: the name of the writer who has it
///     a/.tessera-claims-of-x.__lock/<writer>    a claim, its text
///
/// A writer creates the turn on the condition that it is missing, reads the claims, is judged,
/// writes its claim while it looks at its turn again, and removes the turn. A heartbeat writes turn
/// and claims again every 15 seconds, on the condition that they have not changed. A value that its
/// server calls older than `longest_silence` is of a writer that is gone. On the machine of the
/// writer the end of its process tells it at once.
///
/// Limit: a writer that stood still for `longest_silence` while it was judged, and then removes the
/// turn at the moment in which another writer takes it over, removes the other's turn.
/// Reference: leases (Gray and Cheriton, SOSP 1989).
///
/// Values that test a server are in a folder of the same kind, so that those of killed processes
/// are removed.

#include "tessera/store/key_value_store.hpp"

#include "store/s3/s3_store.hpp"
#include "store/s3/value_writes.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace tessera::s3 {

/// A writer that has been silent for longer counts as gone. A driver that takes over a run does so
/// 70 seconds after the end of the former one at the earliest, and finds its claims gone then.
inline constexpr std::chrono::seconds longest_silence{65};

/// The folder of the values that test the conditions of a server.
inline constexpr std::string_view folder_of_tests = ".tessera-conditions.__lock";

/// Tells whether a key is of a claim or of a test, and no value of the store.
[[nodiscard]] bool is_of_claims(std::string_view key);

/// Tells whether the writer named `writer` is gone, whose value is `silence` old.
[[nodiscard]] bool is_gone(std::string_view writer, std::chrono::seconds silence);

/// Returns the texts of the claims in a folder, and removes those of writers that are gone.
std::vector<std::string> read_claims(s3_store& store, const std::string& folder);

/// A value that exists as long as this object and its process do.
class beating_value {
 public:
  /// The value exists, or is being written. It is renewed from now on.
  beating_value(std::shared_ptr<s3_store> store, std::string key, std::string text);
  beating_value(const beating_value&) = delete;
  beating_value& operator=(const beating_value&) = delete;
  /// Removes the value if it is still this one.
  ~beating_value();

  /// Tells whether the value is still this one.
  [[nodiscard]] bool is_there() const;

  /// Ends the renewals and begins to remove the value. Returns nullptr if that fails, or if
  /// another writer may have replaced the value: then the destructor looks.
  [[nodiscard]] std::unique_ptr<pending_erasure> begin_end();

 private:
  /// Returns the name of the renewals, unique in the process.
  [[nodiscard]] std::string beat_name() const;
  /// Tells whether the value was renewed so lately that no writer has taken it over.
  [[nodiscard]] bool is_fresh() const;

  std::shared_ptr<s3_store> store_;
  std::string key_;
  std::string text_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  /// A forked child leaves the value alone.
  pid_t process_ = ::getpid();
  bool has_ended_ = false;
};

/// Waits for the turn, judges the claim and writes it.
///
/// Throws: store_error <- the server fails. Passes on errors of `admit`.
[[nodiscard]] std::unique_ptr<store_claim> claim_on_server(const std::shared_ptr<s3_store>& store,
                                                           std::string_view key,
                                                           std::string_view text,
                                                           const claim_judge& admit);

}  // namespace tessera::s3
