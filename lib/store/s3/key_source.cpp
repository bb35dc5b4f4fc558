// SPDX-License-Identifier: Apache-2.0
#include "store/s3/key_source.hpp"

#include "tessera/core/error.hpp"

#include "store/s3/bucket_location.hpp"

#include <fmt/format.h>
#include <utility>

namespace tessera::s3 {

namespace {

[[noreturn]] void throw_half_a_pair(std::string_view source) {
  throw store_error(
      fmt::format("{} has half a pair of keys of access: give the key's name and its secret",
                  source),
      store_failure::denied);
}

std::string setting(const profile_settings& profile, std::string_view name) {
  const auto entry = profile.find(name);
  return entry == profile.end() ? "" : entry->second;
}

/// Throws for the sources of keys in profiles that are not supported.
void refuse_unsupported(const profile_settings& profile) {
  for (const char* name : {"sso_session", "sso_start_url", "credential_process", "source_profile",
                           "credential_source"}) {
    if (setting(profile, name).empty()) continue;
    throw store_error(
        fmt::format("the profile takes its keys of access by \"{}\", which is not supported; run "
                    "\"aws configure export-credentials --format env\" and set the variables",
                    name),
        store_failure::denied);
  }
}

bool is_true(const std::string& text) { return text == "true" || text == "True" || text == "1"; }

key_service web_identity(std::string role, std::string token_file, const std::string& region) {
  std::string session = environment("AWS_ROLE_SESSION_NAME");
  std::string url = environment("AWS_ENDPOINT_URL_STS");
  return {.type = key_service::kind::web_identity,
          .url = url.empty() ? "https://" + amazon_host("sts", region) : std::move(url),
          .role = std::move(role),
          .session = session.empty() ? "tessera" : std::move(session),
          .token_file = std::move(token_file),
          .region = region};
}

}  // namespace

std::string region_of(const s3_options& options, const profile_settings& profile) {
  if (!options.region.empty()) return options.region;
  for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (std::string region = environment(name); !region.empty()) return region;
  }
  const std::string region = setting(profile, "region");
  return region.empty() ? "us-east-1" : region;
}

key_source::key_source(const s3_options& options, std::string region)
    : options_(options), region_(std::move(region)) {
  const s3_keys& keys = options.keys;
  if (keys.access_key_id.empty() != keys.secret_access_key.empty()) {
    throw value_error("the option \"keys\" of a store in S3 has half a pair of keys");
  }
}

std::optional<s3_keys> key_source::current() {
  if (options_.anonymous || is_true(environment("AWS_SKIP_SIGNATURE"))) return std::nullopt;
  std::optional<key_service> service;
  {
    const std::lock_guard lock(mutex_);
    if (!keys_ && !service_) find();
    if (keys_) return keys_;
    service = service_;
  }
  return granted(*service);
}

bool key_source::forget_expired(const s3_keys& refused) {
  const std::lock_guard lock(mutex_);
  if (!service_) return false;
  forget(*service_, refused);
  return true;
}

std::string key_source::description() const {
  const std::lock_guard lock(mutex_);
  return description_.empty() ? "none" : description_;
}

/// Finds the first source. The mutex is held.
void key_source::find() {
  if (!options_.keys.access_key_id.empty()) {
    keys_ = options_.keys;
    description_ = "the option \"keys\"";
    return;
  }
  if (find_in_environment() || find_in_profile() || find_service()) return;
  throw store_error(fmt::format("there are no keys of access: {}", advice_without_keys),
                    store_failure::denied);
}

bool key_source::find_in_environment() {
  // A profile that is asked for in code wins.
  if (!options_.profile.empty()) return false;
  s3_keys keys{environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"),
               environment("AWS_SESSION_TOKEN")};
  if (keys.access_key_id.empty() != keys.secret_access_key.empty()) {
    throw_half_a_pair("the environment");
  }
  if (keys.access_key_id.empty()) return false;
  keys_ = std::move(keys);
  description_ = "AWS_ACCESS_KEY_ID";
  return true;
}

bool key_source::find_in_profile() {
  const profile_settings profile = read_profile(options_.profile);
  description_ = "the profile of AWS's files";
  s3_keys keys{setting(profile, "aws_access_key_id"), setting(profile, "aws_secret_access_key"),
               setting(profile, "aws_session_token")};
  if (keys.access_key_id.empty() != keys.secret_access_key.empty()) {
    throw_half_a_pair("the profile");
  }
  if (!keys.access_key_id.empty()) {
    keys_ = std::move(keys);
    return true;
  }
  refuse_unsupported(profile);
  const std::string role = setting(profile, "role_arn");
  const std::string token_file = setting(profile, "web_identity_token_file");
  if (role.empty() || token_file.empty()) return false;
  service_ = web_identity(role, token_file, region_);
  return true;
}

bool key_source::find_service() {
  const std::string token_file = environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  const std::string role = environment("AWS_ROLE_ARN");
  if (!token_file.empty() && !role.empty()) {
    description_ = "AWS_WEB_IDENTITY_TOKEN_FILE";
    service_ = web_identity(role, token_file, region_);
    return true;
  }
  description_ = "the service of the container";
  service_ = container_service();
  if (service_) return true;
  if (is_true(environment("AWS_EC2_METADATA_DISABLED"))) return false;
  description_ = "the metadata service of the instance";
  const std::string url = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  service_ = key_service{.url = url.empty() ? "http://169.254.169.254" : url};
  return true;
}

}  // namespace tessera::s3
