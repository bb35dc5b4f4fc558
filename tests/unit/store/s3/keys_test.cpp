// SPDX-License-Identifier: Apache-2.0
/// \file
/// Keys of access, by stand-ins of the services that grant them.

#include "tessera/core/error.hpp"
#include "tessera/store/s3.hpp"

#include "store/s3/signature.hpp"
#include "unit/store/http/test_server.hpp"
#include "unit/store/s3/stand_ins.hpp"
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

/// A metadata service of instances. It counts its keys: "A1", "A2", ...
class instance_service {
 public:
  explicit instance_service(int max_grants, std::string expiration = "2099-01-01T00:00:00Z")
      : max_grants_(max_grants), expiration_(std::move(expiration)) {}

  /// Answers requests for keys. Returns nullopt for further requests.
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
