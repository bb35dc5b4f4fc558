// SPDX-License-Identifier: Apache-2.0
/// \file
/// Stand-ins of S3 and of the services that grant keys of access, with the answers that real ones
/// give seldom.

#include "tessera/core/error.hpp"
#include "tessera/store/s3.hpp"

#include "store/s3/signature.hpp"
#include "unit/store/http/test_server.hpp"
#include "unit/store/temporary_directory.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

std::string error_body(const std::string& code) {
  return "<Error><Code>" + code + "</Code></Error>";
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Returns the value of a key, "(missing)" if it is missing.
std::string read_value(const key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, 1 << 20);
  if (!value) return "(missing)";
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

/// A bucket in memory, with ETags, conditions and the mark of a write.
class stand_in {
 public:
  reply answer(const received_request& request) {
    const std::lock_guard lock(mutex_);
    const auto value = values_.find(request.decoded_target);
    const bool is_there = value != values_.end();
    if (request.method == "PUT") {
      const std::string expected = request.header("if-match");
      const bool is_other =
          honours_conditions && !expected.empty() && (!is_there || value->second.etag != expected);
      const bool is_taken =
          honours_conditions && request.header("if-none-match") == "*" && is_there;
      if (is_other || is_taken) return {.status = 412, .body = error_body("PreconditionFailed")};
      const std::string etag = "\"" + std::to_string(++num_writes_) + "\"";
      values_[request.decoded_target] = {request.body, etag,
                                         request.header("x-amz-meta-tessera-write")};
      return {.headers = {"ETag: " + etag}};
    }
    if (request.method == "DELETE") {
      values_.erase(request.decoded_target);
      return {.status = 204};
    }
    if (!is_there) return {.status = 404, .body = error_body("NoSuchKey")};
    if (request.method == "HEAD") {
      return {.headers = {"ETag: " + value->second.etag,
                          "x-amz-meta-tessera-write: " + value->second.mark},
              .body = value->second.text,
              .is_head = true};
    }
    return answer_with(request, value->second.text, value->second.etag);
  }

  bool honours_conditions = true;

 private:
  struct stored {
    std::string text;
    std::string etag;
    std::string mark;
  };
  std::mutex mutex_;
  std::map<std::string, stored> values_;
  int num_writes_ = 0;
};

using settings = std::vector<std::pair<std::string, std::string>>;

/// Sets environment variables until this object goes. Removes all others that stores in S3 read.
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
const environment_of_test without_variables{settings{}};

const s3_options with_keys{.keys = {"AKIDTEST", "SECRETTEST"}, .patience = 5s};

std::shared_ptr<key_value_store> store_at(const test_server& server, const s3_options& options) {
  return open_s3_store("s3+http://" + server.host() + "/bucket/f", options);
}

TEST(S3Server, WriteKnowsItsValueAgainAfterALostAnswer) {
  stand_in values;
  bool has_lost = false;
  const test_server server([&](const received_request& request) {
    reply given = values.answer(request);
    if (request.target == "/bucket/f/x" && request.method == "PUT" &&
        !std::exchange(has_lost, true)) {
      // The value is written, and the connection closed before the answer's end.
      given.body = "lost";
      given.cut = 0;
    }
    return given;
  });
  const auto store = store_at(server, with_keys);
  EXPECT_TRUE(store->write_if("x", bytes_of("one"), {}));
  EXPECT_TRUE(has_lost);
  EXPECT_EQ(read_value(*store, "x"), "one");
  EXPECT_FALSE(store->write_if("x", bytes_of("two"), {}));
}

TEST(S3Server, WriteKnowsItsValueAgainAfterAGatewayGaveUp) {
  stand_in values;
  bool has_failed = false;
  const test_server server([&](const received_request& request) {
    reply given = values.answer(request);
    if (request.target == "/bucket/f/x" && request.method == "PUT" &&
        !std::exchange(has_failed, true)) {
      return reply{.status = 503, .body = error_body("ServiceUnavailable")};
    }
    return given;
  });
  EXPECT_TRUE(store_at(server, with_keys)->write_if("x", bytes_of("one"), {}));
  EXPECT_TRUE(has_failed);
}

TEST(S3Server, TellsTheSizeByARangeIfTheHeadHasNone) {
  const test_server server([](const received_request& request) {
    if (request.method != "HEAD") return answer_with(request, "value", "\"1\"");
    return reply{.headers = {"ETag: \"1\""}, .tells_length = false, .is_head = true};
  });
  EXPECT_EQ(store_at(server, with_keys)->size("x"), 5U);
}

TEST(S3Server, ThatRepeatsAPageOfAListIsAskedNoMore) {
  const test_server server([](const received_request&) {
    return reply{.body =
                     "<ListBucketResult><IsTruncated>true</IsTruncated>"
                     "<NextContinuationToken>same</NextContinuationToken></ListBucketResult>"};
  });
  try {
    static_cast<void>(store_at(server, with_keys)->list(""));
    ADD_FAILURE() << "no store_error was thrown";
  } catch (const store_error& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("repeats a page"));
  }
  EXPECT_EQ(server.num_requests(), 2U);
}

TEST(S3Server, ThatIgnoresConditionsIsFoundOut) {
  stand_in values;
  values.honours_conditions = false;
  const test_server server([&](const received_request& request) { return values.answer(request); });
  const auto store = store_at(server, with_keys);
  for (int i = 0; i < 2; ++i) {
    try {
      static_cast<void>(store->write_if("x", bytes_of("one"), {}));
      ADD_FAILURE() << "no store_error was thrown";
    } catch (const store_error& failure) {
      EXPECT_EQ(failure.kind(), store_failure::unsupported);
      EXPECT_THAT(failure.what(), HasSubstr("ignores If-None-Match"));
    }
  }
  EXPECT_EQ(read_value(*store, "x"), "(missing)");
}

TEST(S3Server, CorrectsTheClockOnce) {
  stand_in values;
  std::vector<std::string> times;
  const test_server server([&](const received_request& request) {
    times.push_back(request.header("x-amz-date"));
    if (!times.back().starts_with("2013")) {
      return reply{.status = 403,
                   .headers = {"Date: Fri, 24 May 2013 00:00:00 GMT"},
                   .body = error_body("RequestTimeTooSkewed")};
    }
    return values.answer(request);
  });
  const auto store = store_at(server, with_keys);
  store->write("x", bytes_of("one"));
  EXPECT_EQ(times.size(), 2U);
  EXPECT_EQ(read_value(*store, "x"), "one");
  EXPECT_EQ(times.size(), 3U);
}

TEST(S3Server, IsAskedAgainWhileItIsBusy) {
  stand_in values;
  const test_server server([&](const received_request& request) {
    if (request.number == 0) return reply{.status = 503, .body = error_body("SlowDown")};
    if (request.number == 1) return reply{.status = 400, .body = error_body("RequestTimeout")};
    if (request.number == 2) return reply{.status = 500, .body = error_body("InternalError")};
    return values.answer(request);
  });
  const auto store = store_at(server, with_keys);
  store->write("x", bytes_of("one"));
  EXPECT_EQ(server.num_requests(), 4U);
}

TEST(S3Server, TellsNoSecretInFailures) {
  const test_server server([](const received_request& request) {
    // Servers repeat the request that they refuse.
    return reply{.status = 403,
                 .body = "<Error><Code>SignatureDoesNotMatch</Code><Message>" +
                         request.header("authorization") + "</Message></Error>"};
  });
  s3_options options = with_keys;
  options.keys.session_token = "TOKENTEST";
  const auto store = store_at(server, options);
  EXPECT_EQ(store->recipe(), std::nullopt);
  try {
    static_cast<void>(store->read_all("x", 10));
    ADD_FAILURE() << "no store_error was thrown";
  } catch (const store_error& failure) {
    EXPECT_THAT(failure.what(), AllOf(HasSubstr("SignatureDoesNotMatch"),
                                      Not(HasSubstr("SECRETTEST")), Not(HasSubstr("TOKENTEST")),
                                      Not(HasSubstr("AKIDTEST")), Not(HasSubstr("AWS4-HMAC"))));
  }
}

/// Returns status 403 with a code.
reply forbidden(const received_request& request, const std::string& code) {
  return {.status = 403, .body = error_body(code), .is_head = request.method == "HEAD"};
}

// Amazon S3 API Reference, GetObject: without the permission to list, a missing key is denied.
TEST(S3Server, DeniesChunksThatAreMissing) {
  const test_server server(
      [](const received_request& request) { return forbidden(request, "AccessDenied"); });
  s3_options options = with_keys;
  EXPECT_THROW(static_cast<void>(store_at(server, options)->read_all("c/0", 10)), store_error);
  options.denied_is_missing = true;
  const auto store = store_at(server, options);
  std::vector<std::byte> buffer(10);
  EXPECT_EQ(store->read_all("c/0", 10), std::nullopt);
  EXPECT_EQ(store->read("c/0", buffer), std::nullopt);
  EXPECT_EQ(store->size("c/0"), std::nullopt);
  EXPECT_THROW(static_cast<void>(store->read_all("zarr.json", 10)), store_error);
  EXPECT_THROW(static_cast<void>(store->size("a/.zarray")), store_error);
}

TEST(S3Server, ThatRefusesKeysOfAccessHasNoMissingChunks) {
  s3_options options = with_keys;
  options.denied_is_missing = true;
  for (const char* code : {"SignatureDoesNotMatch", "InvalidAccessKeyId", "ExpiredToken"}) {
    const test_server server(
        [&](const received_request& request) { return forbidden(request, code); });
    EXPECT_THROW(static_cast<void>(store_at(server, options)->read_all("c/0", 10)), store_error)
        << code;
  }
  const environment_of_test variables(settings{});
  const test_server server([](const received_request&) { return reply{}; });
  const auto without_keys = store_at(server, {.denied_is_missing = true});
  EXPECT_THROW(static_cast<void>(without_keys->read_all("c/0", 10)), store_error);
}

TEST(S3Keys, AnonymousRequestsHaveNoSignature) {
  const environment_of_test variables(
      settings{{"AWS_ACCESS_KEY_ID", "A"}, {"AWS_SECRET_ACCESS_KEY", "S"}});
  std::vector<std::string> signatures;
  const test_server server([&](const received_request& request) {
    signatures.push_back(request.header("authorization"));
    return answer_with(request, "value", "\"1\"");
  });
  EXPECT_EQ(read_value(*store_at(server, {.anonymous = true}), "x"), "value");
  EXPECT_EQ(read_value(*store_at(server, {}), "x"), "value");
  ASSERT_EQ(signatures.size(), 2U);
  EXPECT_EQ(signatures[0], "");
  EXPECT_THAT(signatures[1], StartsWith("AWS4-HMAC-SHA256 Credential=A/"));
}

TEST(S3Keys, AreNeverLeftOutUnasked) {
  const environment_of_test variables(settings{});
  const test_server server([](const received_request&) { return reply{}; });
  const auto store = store_at(server, {});
  EXPECT_THROW(static_cast<void>(store->read_all("x", 10)), store_error);
  EXPECT_EQ(server.num_requests(), 0U);
}

TEST(S3Keys, HalfAPairIsAnError) {
  const environment_of_test variables(settings{{"AWS_ACCESS_KEY_ID", "A"}});
  const test_server server([](const received_request&) { return reply{}; });
  try {
    static_cast<void>(store_at(server, {})->read_all("x", 10));
    ADD_FAILURE() << "no store_error was thrown";
  } catch (const store_error& failure) {
    EXPECT_EQ(failure.kind(), store_failure::denied);
    EXPECT_THAT(failure.what(), HasSubstr("half a pair"));
  }
}

// AWS, "Use IMDSv2": a token by PUT, then the role, then its keys.
TEST(S3Keys, AreThoseOfTheInstance) {
  std::vector<std::string> credentials;
  const test_server server([&](const received_request& request) -> reply {
    if (request.target == "/latest/api/token") {
      return {.status = request.method == "PUT" ? 200 : 405, .body = "T"};
    }
    if (request.target.starts_with("/latest")) {
      if (request.header("x-aws-ec2-metadata-token") != "T") return {.status = 401};
      if (request.target == "/latest/meta-data/iam/security-credentials/")
        return {.body = "role\n"};
      return {.body = R"({"AccessKeyId": "A)" + std::to_string(request.number) +
                      R"(", "SecretAccessKey": "S", "Token": "session",)"
                      R"("Expiration": "2099-01-01T00:00:00Z"})"};
    }
    credentials.push_back(request.header("authorization").substr(0, 40));
    EXPECT_EQ(request.header("x-amz-security-token"), "session");
    // The first keys have expired all the same.
    if (credentials.size() == 1) return {.status = 400, .body = error_body("ExpiredToken")};
    return answer_with(request, "value", "\"1\"");
  });
  const environment_of_test variables(settings{
      {"AWS_EC2_METADATA_DISABLED", "false"}, {"AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url()}});
  EXPECT_EQ(read_value(*store_at(server, {}), "x"), "value");
  EXPECT_EQ(read_value(*store_at(server, {}), "x"), "value");
  ASSERT_EQ(credentials.size(), 3U);
  EXPECT_NE(credentials[0], credentials[1]) << "the keys are asked for again";
  EXPECT_EQ(credentials[1], credentials[2]) << "the stores of a process share them";
}

/// A metadata service of instances, whose keys "A1", "A2", ... are counted.
class instance_service {
 public:
  explicit instance_service(int max_grants, std::string expiration = "2099-01-01T00:00:00Z")
      : max_grants_(max_grants), expiration_(std::move(expiration)) {}

  /// Answers requests for keys, and returns nullopt for others.
  std::optional<reply> answer(const received_request& request) {
    if (request.target == "/latest/api/token") return reply{.body = "T"};
    if (request.target == "/latest/meta-data/iam/security-credentials/") return reply{.body = "r"};
    if (!request.target.starts_with("/latest")) return std::nullopt;
    if (num_grants == max_grants_) return reply{.status = 404};
    return reply{.body = R"({"AccessKeyId": "A)" + std::to_string(++num_grants) +
                         R"(", "SecretAccessKey": "S", "Expiration": ")" + expiration_ + "\"}"};
  }

  std::atomic<int> num_grants = 0;

 private:
  int max_grants_;
  std::string expiration_;
};

settings settings_of_instance(const test_server& server) {
  return {{"AWS_EC2_METADATA_DISABLED", "false"},
          {"AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url()}};
}

TEST(S3Keys, AreRenewedOnceForAllRequestsThatTheyHaveExpiredFor) {
  instance_service service(100);
  const test_server server([&](const received_request& request) -> reply {
    if (auto given = service.answer(request)) return *given;
    if (request.header("authorization").find("Credential=A1/") != std::string::npos) {
      return {.status = 400, .body = error_body("ExpiredToken")};
    }
    return answer_with(request, "value", "\"1\"");
  });
  const environment_of_test variables(settings_of_instance(server));
  const auto store = store_at(server, {});
  std::vector<std::vector<std::byte>> buffers(4, std::vector<std::byte>(5));
  const auto reads = store->reads();
  std::vector<std::size_t> tickets;
  for (auto& buffer : buffers) tickets.push_back(reads->submit({"x", {}, buffer}));
  for (const std::size_t ticket : tickets) EXPECT_TRUE(reads->wait(ticket));
  EXPECT_EQ(service.num_grants, 2);
}

TEST(S3Keys, ThatCannotBeRenewedEndAWriteInParts) {
  instance_service service(1);
  const test_server server([&](const received_request& request) -> reply {
    if (auto given = service.answer(request)) return *given;
    if (request.method == "POST") {
      return {.body =
                  "<InitiateMultipartUploadResult><UploadId>u</UploadId>"
                  "</InitiateMultipartUploadResult>"};
    }
    return {.status = 400, .body = error_body("ExpiredToken")};
  });
  const environment_of_test variables(settings_of_instance(server));
  const auto store = store_at(server, {});
  const auto writer = store->writer("x");
  writer->append(std::vector<std::byte>(std::size_t{9} << 20));
  EXPECT_THROW(writer->finish(), store_error);
  EXPECT_THROW(writer->finish(), store_error);
}

TEST(S3Keys, ThatExpireWithinAReadEndIt) {
  instance_service service(1, "2013-05-24T00:00:00Z");
  const std::string value(std::size_t{9} << 20, 'v');
  const test_server server([&](const received_request& request) -> reply {
    if (auto given = service.answer(request)) return *given;
    return answer_with(request, value, "\"1\"");
  });
  const environment_of_test variables(settings_of_instance(server));
  const auto store = store_at(server, {});
  std::vector<std::byte> buffer(value.size());
  const auto reads = store->reads();
  const std::size_t ticket = reads->submit({"x", {}, buffer});
  while (!reads->is_complete(ticket)) std::this_thread::yield();
  EXPECT_THROW(static_cast<void>(reads->wait(ticket)), store_error);
}

TEST(S3Keys, AreAdvisedOnMachinesWithoutAMetadataService) {
  // No server listens at this port.
  const environment_of_test variables(
      settings{{"AWS_EC2_METADATA_DISABLED", "false"},
               {"AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1"}});
  const test_server server([](const received_request&) { return reply{}; });
  try {
    static_cast<void>(store_at(server, {})->read_all("x", 10));
    ADD_FAILURE() << "no store_error was thrown";
  } catch (const store_error& failure) {
    EXPECT_EQ(failure.kind(), store_failure::denied);
    EXPECT_THAT(failure.what(), AllOf(HasSubstr("AWS_ACCESS_KEY_ID"), HasSubstr("anonymous")));
  }
}

TEST(S3Keys, AreThoseOfTheContainer) {
  const test_server server([&](const received_request& request) -> reply {
    if (request.target == "/keys") {
      EXPECT_EQ(request.header("authorization"), "Bearer T");
      return {.body = R"({"AccessKeyId": "A", "SecretAccessKey": "S", "Token": "session"})"};
    }
    EXPECT_THAT(request.header("authorization"), HasSubstr("Credential=A/"));
    return answer_with(request, "value", "\"1\"");
  });
  const environment_of_test variables(
      settings{{"AWS_CONTAINER_CREDENTIALS_FULL_URI", server.url() + "/keys"},
               {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "Bearer T"}});
  EXPECT_EQ(read_value(*store_at(server, {}), "x"), "value");
}

TEST(S3Keys, AreNotFetchedWithoutEncryption) {
  const environment_of_test variables(
      settings{{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://example.com/keys"}});
  const test_server server([](const received_request&) { return reply{}; });
  EXPECT_THROW(static_cast<void>(store_at(server, {})->read_all("x", 10)), store_error);
}

// AWS STS API Reference, AssumeRoleWithWebIdentity.
TEST(S3Keys, AreThoseOfTheWebIdentity) {
  const test_server server([&](const received_request& request) -> reply {
    if (request.target == "/") {
      EXPECT_EQ(request.method, "POST");
      EXPECT_EQ(request.body,
                "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Arole"
                "&RoleSessionName=tessera&WebIdentityToken=a.b");
      return {.body =
                  "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult>"
                  "<Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>S</SecretAccessKey>"
                  "<SessionToken>session</SessionToken><Expiration>2099-01-01T00:00:00Z"
                  "</Expiration></Credentials></AssumeRoleWithWebIdentityResult>"
                  "</AssumeRoleWithWebIdentityResponse>"};
    }
    EXPECT_THAT(request.header("authorization"), HasSubstr("Credential=A/"));
    EXPECT_EQ(request.header("x-amz-security-token"), "session");
    return answer_with(request, "value", "\"1\"");
  });
  const temporary_directory directory;
  const std::string file = directory / "token";
  std::ofstream(file) << "a.b\n";
  const environment_of_test variables(settings{{"AWS_WEB_IDENTITY_TOKEN_FILE", file},
                                               {"AWS_ROLE_ARN", "arn:role"},
                                               {"AWS_ENDPOINT_URL_STS", server.url()}});
  EXPECT_EQ(read_value(*store_at(server, {}), "x"), "value");
}

TEST(S3Keys, AreThoseOfTheProfile) {
  const test_server server([&](const received_request& request) -> reply {
    EXPECT_THAT(request.header("authorization"),
                AllOf(HasSubstr("Credential=A/"), HasSubstr("/eu-west-1/s3/")));
    return answer_with(request, "value", "\"1\"");
  });
  const temporary_directory directory;
  const std::string file = directory / "credentials";
  std::ofstream(file) << "[other]\naws_access_key_id = A\naws_secret_access_key = S\n"
                         "region = eu-west-1\n[by_sso]\nsso_session = x\n";
  const environment_of_test variables(settings{});
  ::setenv("AWS_SHARED_CREDENTIALS_FILE", file.c_str(), 1);
  EXPECT_EQ(read_value(*store_at(server, {.profile = "other"}), "x"), "value");
  try {
    static_cast<void>(store_at(server, {.profile = "by_sso"})->read_all("x", 10));
    ADD_FAILURE() << "no store_error was thrown";
  } catch (const store_error& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("\"sso_session\", which is not supported"));
  }
  EXPECT_THROW(static_cast<void>(store_at(server, {.profile = "nobody"})), store_error);
}

}  // namespace
}  // namespace tessera::testing
