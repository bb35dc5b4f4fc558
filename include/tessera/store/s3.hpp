// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores in buckets of S3 and of servers that speak its protocol: the component `tessera::s3`.
///
/// A program that links the component opens these locations by `open`, `open_store` and recipes:
///
///     s3://bucket/folder                      Amazon S3, or the endpoint of the environment
///     s3+https://host:port/bucket/folder      another server, also s3+http://
///     gs://bucket/folder                      Google Cloud Storage, by its interface for S3
///
/// Options stand behind a "?": "s3://bucket/folder?anonymous&region=eu-west-1". Their names are as
/// in `s3_options`. A value is percent-encoded.
///
/// The endpoint of the environment is AWS_ENDPOINT_URL_S3, else AWS_ENDPOINT_URL, else
/// `endpoint_url` of the profile. The region is that of the option, of AWS_REGION, of
/// AWS_DEFAULT_REGION or of the profile, else us-east-1; Amazon S3 corrects it.
///
/// Keys of access come from the first of these sources that there is:
///
///  1. the option `keys`;
///  2. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN;
///  3. the profile of the option `profile` or of AWS_PROFILE, else "default", in the files
///     ~/.aws/credentials and ~/.aws/config (AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE);
///  4. a web identity: AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN;
///  5. a container: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI;
///  6. the metadata service of an instance, version 2, unless AWS_EC2_METADATA_DISABLED is "true".
///
/// Requests without keys are sent only if the option `anonymous` or AWS_SKIP_SIGNATURE says so.
///
/// There are no locks. Claims of parts of an array are values beside it, which their process writes
/// again every 15 seconds: a program that wants to write a part that another one writes is told so.
/// The claim of a killed program ends at once on its host, and after 65 seconds on other hosts. On
/// a server that ignores conditions, claims are seen by the threads of this store object alone.
///
/// All requests of a process share the thread and the connections of the component `tessera::http`.

#include "tessera/store/key_value_store.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace tessera {

/// Keys of access to S3.
struct s3_keys {
  std::string access_key_id = {};
  std::string secret_access_key = {};
  /// Empty for keys that last.
  std::string session_token = {};

  [[nodiscard]] bool operator==(const s3_keys&) const = default;
};

/// Options of a store in a bucket.
struct s3_options {
  /// Keys of access; empty: the keys of the environment. A store with such keys has no recipe, as
  /// other processes must not be told them.
  s3_keys keys = {};
  /// Whether requests are sent without a signature.
  bool anonymous = false;
  std::string region = {};
  std::string profile = {};
  /// Whether the bucket is a part of the host's name, "bucket.host", at an endpoint of another
  /// server. For Amazon S3 it always is, unless the bucket's name has a dot.
  bool virtual_host = false;
  /// Whether a chunk is missing if the server denies access to it, as servers do that permit no
  /// lists. Metadata are never missing by a denial.
  bool denied_is_missing = false;
  /// The file of trusted certificates in PEM format; empty: the file that `AWS_CA_BUNDLE` names,
  /// else the system's.
  std::string ca_file = {};
  /// The time without progress after which a request fails, with all its attempts.
  std::chrono::milliseconds patience{120'000};

  [[nodiscard]] bool operator==(const s3_options&) const = default;
};

/// Returns the store at `location`, "s3://bucket/folder". Touches nothing.
///
/// Writes are atomic. Values above 5 GiB are written in parts. `write_if` needs a server that
/// honours If-None-Match and If-Match: servers other than Amazon's are asked once, with a key
/// of their own.
///
/// Throws: value_error <- the location has no bucket or host, or a name of the bucket that S3 has
/// not; an option is out of its range; the keys are half a pair.
[[nodiscard]] std::shared_ptr<key_value_store> open_s3_store(const std::string& location,
                                                             const s3_options& options = {});

}  // namespace tessera
