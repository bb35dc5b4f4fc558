// SPDX-License-Identifier: Apache-2.0
#include "store/s3/remote_keys.hpp"

#include "tessera/core/error.hpp"

#include "json/values.hpp"
#include "store/http/read_queue.hpp"
#include "store/http/url.hpp"
#include "store/s3/documents.hpp"
#include "store/s3/environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <fmt/format.h>
#include <mutex>
#include <utility>
#include <vector>

namespace tessera::s3 {

namespace {

using namespace std::chrono_literals;
using http::request_method;

constexpr std::size_t max_answer = std::size_t{64} << 10;
constexpr auto time_to_renew = 5min;

struct service_request {
  request_method method = request_method::get;
  std::string url;
  std::vector<std::string> headers = {};
  std::string body = {};
  std::chrono::milliseconds patience = 10s;
  /// Whether the service is of this machine, so that no proxy is asked.
  bool is_local = true;
};

/// Returns the answer of a service. Messages have neither URLs nor bodies.
std::vector<std::byte> ask(const service_request& asked, std::string_view service) {
  auto next = std::make_shared<http::request>();
  std::vector<std::byte> answer;
  next->url = asked.url;
  next->access = std::make_shared<const http::server_access>(
      http::server_access{.ca_file = environment("AWS_CA_BUNDLE"),
                          .patience = asked.patience,
                          .uses_proxy = !asked.is_local,
                          .follows_redirects = false,
                          .keeps_answers = true});
  next->method = asked.method;
  next->headers = asked.headers;
  next->body = std::as_bytes(std::span(asked.body));
  next->growing = &answer;
  next->limit = max_answer;
  const http::pending_request pending(std::move(next));
  const http::request& done = pending.wait();
  if (done.result == http::request_result::success) return answer;
  const std::string code = parse_error(done.last_answer.body).code;
  const bool may_pass =
      done.kind == store_failure::passing || done.kind == store_failure::throttled;
  throw store_error(
      fmt::format("no keys of access from {}: {}{}{}", service,
                  done.result == http::request_result::missing ? "it has none" : done.message,
                  code.empty() ? "" : ", ", code),
      may_pass ? done.kind : store_failure::denied);
}

timed_keys checked(granted_keys granted, std::string_view service) {
  timed_keys keys{std::move(granted.keys), parse_time(granted.expiration)};
  if (keys.keys.access_key_id.empty() || keys.keys.secret_access_key.empty() ||
      (!granted.expiration.empty() && !keys.expiry)) {
    throw store_error(fmt::format("no keys of access from {}: its answer has none", service),
                      store_failure::denied);
  }
  return keys;
}

/// Returns the keys in the JSON of containers and instances.
timed_keys keys_in_json(const std::vector<std::byte>& body, std::string_view service) {
  const fields::json document =
      fields::parse_or_discard({reinterpret_cast<const char*>(body.data()), body.size()});
  const auto text = [&](const char* name) {
    if (!document.is_object()) return std::string();
    const auto value = document.find(name);
    return value != document.end() && value->is_string() ? value->get<std::string>()
                                                         : std::string();
  };
  return checked(
      {{text("AccessKeyId"), text("SecretAccessKey"), text("Token")}, text("Expiration")}, service);
}

timed_keys ask_web_identity(const key_service& service) {
  constexpr std::string_view name = "the service of web identities";
  const std::string token = read_file(service.token_file, "the token of the web identity");
  service_request asked{.method = request_method::post,
                        .url = service.url + "/",
                        .headers = {"Content-Type: application/x-www-form-urlencoded"},
                        .is_local = false};
  asked.body = fmt::format(
      "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn={}&RoleSessionName={}"
      "&WebIdentityToken={}",
      http::percent_encoded(service.role), http::percent_encoded(service.session),
      http::percent_encoded(token));
  return checked(parse_web_identity(ask(asked, name)), name);
}

timed_keys ask_container(const key_service& service) {
  constexpr std::string_view name = "the service of the container";
  service_request asked{.url = service.url};
  const std::string file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const std::string token = file.empty() ? environment("AWS_CONTAINER_AUTHORIZATION_TOKEN")
                                         : read_file(file, "the token of the container");
  if (!token.empty()) asked.headers.push_back("Authorization: " + token);
  return keys_in_json(ask(asked, name), name);
}

/// Returns the patience with the metadata service: that of AWS_METADATA_SERVICE_TIMEOUT, in
/// seconds, else a second.
std::chrono::milliseconds patience_with_instance() {
  const std::string text = environment("AWS_METADATA_SERVICE_TIMEOUT");
  unsigned seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::clamp<std::chrono::milliseconds>(std::chrono::seconds(seconds), 1s, 1h);
}

timed_keys ask_instance(const key_service& service) {
  constexpr std::string_view name = "the metadata service of the instance";
  const auto get = [&](service_request asked) {
    asked.patience = patience_with_instance();
    return ask(asked, name);
  };
  const auto text_of = [](const std::vector<std::byte>& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const std::string token =
      text_of(get({.method = request_method::put,
                   .url = service.url + "/latest/api/token",
                   .headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"}}));
  const std::vector<std::string> headers = {"X-aws-ec2-metadata-token: " + token};
  const std::string folder = service.url + "/latest/meta-data/iam/security-credentials/";
  std::string role = text_of(get({.url = folder, .headers = headers}));
  role = role.substr(0, role.find('\n'));
  return keys_in_json(get({.url = folder + http::percent_encoded(role), .headers = headers}), name);
}

timed_keys ask(const key_service& service) {
  switch (service.type) {
    case key_service::kind::web_identity:
      return ask_web_identity(service);
    case key_service::kind::container:
      return ask_container(service);
    default:
      return ask_instance(service);
  }
}

/// Asks a service that has granted no keys to this process yet.
timed_keys ask_first(const key_service& service) {
  try {
    return ask(service);
  } catch (const store_error& failure) {
    if (service.type != key_service::kind::instance) throw;
    throw store_error(fmt::format("{}; {}", failure.what(), advice_without_keys),
                      store_failure::denied);
  }
}

/// The keys that this process was granted.
struct granted_table {
  std::mutex mutex;
  std::vector<std::pair<key_service, timed_keys>> entries;

  timed_keys* find(const key_service& service) {
    for (auto& [known, keys] : entries) {
      if (known == service) return &keys;
    }
    return nullptr;
  }
};

granted_table& process_table() {
  static auto& only = *new granted_table;
  return only;
}

bool is_of_this_machine(const std::string& host) {
  const std::string name = host.substr(0, host.rfind(':'));
  constexpr std::array<std::string_view, 6> names = {
      "localhost", "127.0.0.1", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
  return std::ranges::find(names, name) != names.end() ||
         std::ranges::find(names, host) != names.end();
}

}  // namespace

std::optional<key_service> container_service() {
  key_service service{.type = key_service::kind::container};
  if (const std::string path = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
      !path.empty()) {
    service.url = "http://169.254.170.2" + path;
    return service;
  }
  service.url = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (service.url.empty()) return std::nullopt;
  const http::url_parts parts = http::parse_url(service.url);
  if (parts.scheme != "https" && !is_of_this_machine(parts.host)) {
    throw store_error(
        "AWS_CONTAINER_CREDENTIALS_FULL_URI must be of https, or of this machine: its keys would "
        "be "
        "sent without encryption",
        store_failure::denied);
  }
  return service;
}

s3_keys granted(const key_service& service) {
  granted_table& table = process_table();
  const std::lock_guard lock(table.mutex);
  timed_keys* known = table.find(service);
  if (known == nullptr) {
    table.entries.emplace_back(service, ask_first(service));
    return table.entries.back().second.keys;
  }
  const auto now = std::chrono::system_clock::now();
  if (known->expiry && *known->expiry - time_to_renew <= now) {
    try {
      *known = ask(service);
    } catch (const store_error& failure) {
      // The old keys are good as long as they last.
      if (!failure.may_pass() || *known->expiry <= now) throw;
    }
  }
  return known->keys;
}

void forget(const key_service& service, const s3_keys& refused) {
  granted_table& table = process_table();
  const std::lock_guard lock(table.mutex);
  std::erase_if(table.entries, [&](const auto& entry) {
    return entry.first == service && entry.second.keys == refused;
  });
}

std::optional<std::chrono::system_clock::time_point> parse_time(const std::string& text) {
  std::tm parts{};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  // Fractions of a second do not count.
  if (end == nullptr || (*end != 'Z' && *end != '.')) return std::nullopt;
  return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

}  // namespace tessera::s3
