// SPDX-License-Identifier: Apache-2.0
#include "store/s3/bucket_location.hpp"

#include "tessera/core/error.hpp"

#include "store/http/url.hpp"
#include "store/s3/environment.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::s3 {

namespace {

/// Takes the first name off a path.
std::string take_name(std::string_view& path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  const std::string name(path.substr(0, path.find('/')));
  path.remove_prefix(std::min(name.size() + 1, path.size()));
  return name;
}

/// Tells whether a text may be a bucket: names of old buckets have upper case and underscores.
bool is_bucket(std::string_view name) {
  const auto is_allowed = [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  };
  return name.size() >= 3 && name.size() <= 255 && std::ranges::all_of(name, is_allowed);
}

/// Sets the endpoint of a URL "https://host:port".
void set_endpoint(bucket_location& location, const std::string& url) {
  const http::url_parts parts = http::parse_url(url);
  if (!parts.user.empty() || !parts.path.empty() || !parts.query.empty()) {
    throw value_error(
        fmt::format("the endpoint \"{:.100}\" of S3 must be a protocol and a host, as in "
                    "\"https://host:9000\"",
                    parts.public_text()));
  }
  const std::string_view default_port = parts.scheme == "https" ? ":443" : ":80";
  location.scheme = "s3+" + parts.scheme;
  location.endpoint = parts.host;
  if (parts.host.ends_with(default_port)) {
    location.endpoint.resize(parts.host.size() - default_port.size());
  }
}

/// Returns the URL of the endpoint that the environment or the profile names, "" if none does.
std::string configured_endpoint(const std::string& profile_endpoint) {
  for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}) {
    if (std::string url = environment(name); !url.empty()) return url;
  }
  return profile_endpoint;
}

}  // namespace

std::string bucket_location::place() const {
  const bool has_endpoint = scheme.starts_with("s3+");
  return fmt::format("{}{}{}{}{}", has_endpoint ? endpoint : "", has_endpoint ? "/" : "", bucket,
                     folder.empty() ? "" : "/", folder);
}

std::string bucket_location::full_key(std::string_view key) const {
  if (folder.empty()) return std::string(key);
  return key.empty() ? folder : fmt::format("{}/{}", folder, key);
}

std::string_view bucket_location::protocol() const {
  return scheme == "s3+http" ? "http" : "https";
}

std::string bucket_location::host(std::string_view region) const {
  const std::string server = is_amazon() ? amazon_host("s3", region) : endpoint;
  return has_virtual_host ? fmt::format("{}.{}", bucket, server) : server;
}

std::string bucket_location::path(std::string_view full_key) const {
  const std::string key = http::percent_encoded(full_key, "/");
  if (has_virtual_host) return "/" + key;
  return key.empty() ? "/" + bucket : fmt::format("/{}/{}", bucket, key);
}

std::string amazon_host(std::string_view service, std::string_view region) {
  return fmt::format("{}.{}.amazonaws.com{}", service, region,
                     region.starts_with("cn-") ? ".cn" : "");
}

bucket_location parse_location(std::string_view scheme, std::string_view place,
                               const s3_options& options, const std::string& profile_endpoint) {
  bucket_location location{.scheme = std::string(scheme), .bucket = {}};
  if (scheme == "gs") {
    location.endpoint = "storage.googleapis.com";
  } else if (scheme == "s3") {
    const std::string url = configured_endpoint(profile_endpoint);
    if (!url.empty()) set_endpoint(location, url);
  } else if (scheme == "s3+https" || scheme == "s3+http") {
    set_endpoint(location, fmt::format("{}://{}", scheme.substr(3), take_name(place)));
  } else {
    throw value_error(fmt::format(
        "the scheme of a store in S3 is \"{:.40}\": it must be s3, s3+https, s3+http or gs",
        scheme));
  }
  location.bucket = take_name(place);
  while (place.ends_with('/')) place.remove_suffix(1);
  location.folder = place;
  if (!is_bucket(location.bucket)) {
    throw value_error(
        fmt::format("the location of scheme \"{}\" has no bucket: names of buckets have 3 to 255 "
                    "letters, digits, \"-\", \".\" and \"_\"; keys of access are no part of it",
                    scheme));
  }
  validate_folder(location.folder);
  const bool has_dot = location.bucket.find('.') != std::string::npos;
  location.has_virtual_host = location.is_amazon() ? !has_dot : options.virtual_host;
  return location;
}

}  // namespace tessera::s3
