// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The keys of access of a store, from the first source that there is.

#include "tessera/store/s3.hpp"

#include "store/s3/environment.hpp"
#include "store/s3/remote_keys.hpp"

#include <mutex>
#include <optional>
#include <string>

namespace tessera::s3 {

/// Returns the region of a store: that of the option, of the environment or of the profile.
[[nodiscard]] std::string region_of(const s3_options& options, const profile_settings& profile);

/// The keys of a store. They are looked for at the first request.
///
/// Threads: all members may be called from several threads at the same time.
class key_source {
 public:
  /// Throws: value_error <- the option has half a pair of keys.
  explicit key_source(const s3_options& options, std::string region);

  /// Returns the keys for the next request, or nullopt if requests have no signature.
  ///
  /// Throws: store_error <- `denied`: there are none, or their source is not supported.
  [[nodiscard]] std::optional<s3_keys> current();
  /// Forgets keys that the server refuses as expired. Returns whether there may be new ones.
  [[nodiscard]] bool forget_expired(const s3_keys& refused);
  /// Returns the source of the keys for messages: "AWS_ACCESS_KEY_ID".
  [[nodiscard]] std::string description() const;

 private:
  void find();
  [[nodiscard]] bool find_in_environment();
  [[nodiscard]] bool find_in_profile();
  [[nodiscard]] bool find_service();

  s3_options options_;
  std::string region_;
  mutable std::mutex mutex_;
  /// Keys that last, or the service that grants keys for a time; neither before the first request.
  std::optional<s3_keys> keys_;
  std::optional<key_service> service_;
  std::string description_;
};

}  // namespace tessera::s3
