// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The environment of tests against stand-ins of S3.

#include "tessera/store/s3.hpp"

#include "unit/store/http/test_server.hpp"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::testing {

inline std::string error_body(const std::string& code) {
  return "<Error><Code>" + code + "</Code></Error>";
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Returns the value of a key, "(missing)" if it is missing.
inline std::string read_value(const key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, 1 << 20);
  if (!value) return "(missing)";
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

using settings = std::vector<std::pair<std::string, std::string>>;

/// Sets environment variables until this object goes. Removes the variables of stores in S3 that
/// are set.
class environment_of_test {
 public:
  explicit environment_of_test(settings variables) : variables_(std::move(variables)) {
    for (const char* name :
         {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
          "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SKIP_SIGNATURE", "AWS_WEB_IDENTITY_TOKEN_FILE",
          "AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
          "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN",
          "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
          "AWS_ENDPOINT_URL_STS", "AWS_EC2_METADATA_SERVICE_ENDPOINT", "AWS_CA_BUNDLE"}) {
      ::unsetenv(name);
    }
    ::setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent", 1);
    ::setenv("AWS_CONFIG_FILE", "/nonexistent", 1);
    ::setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    // Tests wait for no time-out: machines are slow at times.
    ::setenv("AWS_METADATA_SERVICE_TIMEOUT", "60", 1);
    for (const auto& [name, value] : variables_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  environment_of_test(const environment_of_test&) = delete;
  environment_of_test& operator=(const environment_of_test&) = delete;
  ~environment_of_test() {
    for (const auto& [name, value] : variables_) ::unsetenv(name.c_str());
  }

 private:
  settings variables_;
};

/// For the tests that set no variables.
inline const environment_of_test without_variables{settings{}};

inline const s3_options with_keys{.keys = {"AKIDTEST", "SECRETTEST"},
                                  .patience = std::chrono::seconds(5)};

inline std::shared_ptr<key_value_store> store_at(const test_server& server,
                                                 const s3_options& options) {
  return open_s3_store("s3+http://" + server.host() + "/bucket/f", options);
}

}  // namespace tessera::testing
