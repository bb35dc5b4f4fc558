// SPDX-License-Identifier: Apache-2.0
/// \file
/// Locations, options, profiles and documents of S3.

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/store/s3.hpp"

#include "store/http/retry_budget.hpp"
#include "store/s3/bucket_location.hpp"
#include "store/s3/documents.hpp"
#include "store/s3/environment.hpp"
#include "store/s3/remote_keys.hpp"

#include <chrono>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tessera::s3 {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(S3Location, HasTheHostOfTheRegion) {
  ::unsetenv("AWS_ENDPOINT_URL_S3");
  ::unsetenv("AWS_ENDPOINT_URL");
  const bucket_location plain = parse_location("s3", "era5-pds/a b", {});
  EXPECT_EQ(plain.host("eu-west-1"), "era5-pds.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(plain.host("cn-north-1"), "era5-pds.s3.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(plain.path(plain.full_key("c/0")), "/a%20b/c/0");
  EXPECT_EQ(plain.name(), "s3://era5-pds/a b");
  EXPECT_EQ(amazon_host("sts", "cn-north-1"), "sts.cn-north-1.amazonaws.com.cn");
  const bucket_location dotted = parse_location("s3", "a.b.c", {});
  EXPECT_EQ(dotted.host("us-east-1"), "s3.us-east-1.amazonaws.com");
  EXPECT_EQ(dotted.path("x"), "/a.b.c/x");
  EXPECT_EQ(dotted.path(""), "/a.b.c");
}

TEST(S3Location, HasTheEndpoint) {
  const bucket_location path = parse_location("s3+http", "host:9000/bucket/f", {});
  EXPECT_EQ(path.host("x"), "host:9000");
  EXPECT_EQ(path.path(path.full_key("k")), "/bucket/f/k");
  EXPECT_EQ(path.name(), "s3+http://host:9000/bucket/f");
  EXPECT_EQ(parse_location("s3+https", "host:443/bucket", {}).host("x"), "host");
  EXPECT_EQ(parse_location("s3+https", "h/bucket", {.virtual_host = true}).host("x"), "bucket.h");
  EXPECT_EQ(parse_location("gs", "bucket", {}).host("x"), "storage.googleapis.com");
  ::setenv("AWS_ENDPOINT_URL_S3", "http://localhost:9000", 1);
  EXPECT_EQ(parse_location("s3", "bucket/f", {}).name(), "s3+http://localhost:9000/bucket/f");
  ::unsetenv("AWS_ENDPOINT_URL_S3");
}

TEST(S3Location, RefusesPlacesWithoutABucket) {
  for (const char* place : {"", "/", "ab", "b cket/x", "b?cket"}) {
    EXPECT_THROW(static_cast<void>(parse_location("s3", place, {})), value_error) << place;
  }
  EXPECT_THROW(static_cast<void>(parse_location("s3+http", "host", {})), value_error);
}

TEST(S3Location, TellsNoKeysOfAccessInItsRefusal) {
  for (const char* location : {"s3://AKID:SECRET@bucket/x", "s3+https://AKID:SECRET@host/bucket"}) {
    try {
      static_cast<void>(open_store(location));
      ADD_FAILURE() << "no value_error was thrown";
    } catch (const value_error& failure) {
      EXPECT_THAT(failure.what(), AllOf(Not(HasSubstr("SECRET")), Not(HasSubstr("AKID"))));
    }
  }
}

TEST(S3Location, HasOptionsInTheRecipe) {
  const std::string location = "s3+http://h/bucket/f?anonymous&region=eu-west-1&patience=500";
  const store_recipe recipe = recipe_of_store(location);
  EXPECT_EQ(recipe.scheme, "s3+http");
  EXPECT_EQ(recipe.place, "h/bucket/f");
  EXPECT_EQ(recipe.options, "anonymous&region=eu-west-1&patience=500");
  EXPECT_EQ(open_store(recipe)->recipe(), recipe);
  EXPECT_EQ(root_names_of("s3"), 1U);
  EXPECT_EQ(root_names_of("s3+https"), 2U);
  EXPECT_THROW(static_cast<void>(open_store("s3://bucket?secret=1")), value_error);
  EXPECT_THROW(static_cast<void>(open_store("s3://bucket?patience=x")), value_error);
}

TEST(S3Location, HasNoOptionsBesideThoseOfTheCall) {
  EXPECT_THROW(static_cast<void>(open_s3_store("s3://bucket/x?anonymous")), value_error);
}

// The format of "Configuration and credential file settings in the AWS CLI".
TEST(S3Profile, HasTheSettingsOfItsSection) {
  const std::string text =
      "[default]\nregion=us-west-2\n# region = no\n[profile user1]\nRegion = eu-west-1 # near\n"
      "s3 =\n  max_concurrent_requests = 20\noutput=text\r\n";
  EXPECT_THAT(parse_profile(text, "default"), ElementsAre(Pair("region", "us-west-2")));
  EXPECT_THAT(parse_profile(text, "profile user1"),
              ElementsAre(Pair("output", "text"), Pair("region", "eu-west-1"), Pair("s3", "")));
  EXPECT_TRUE(parse_profile(text, "user1").empty());
}

TEST(S3Documents, HaveThePagesOfLists) {
  const list_page page = parse_list(bytes_of(
      "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
      "<NextContinuationToken>next&amp;</NextContinuationToken>"
      "<Contents><Key>a+b/%2B0</Key><Size>5000000000</Size><ETag>&quot;e&quot;</ETag></Contents>"
      "<CommonPrefixes><Prefix>a/c/</Prefix></CommonPrefixes></ListBucketResult>"));
  ASSERT_EQ(page.values.size(), 1U);
  EXPECT_EQ(page.values[0].key, "a b/+0");
  EXPECT_EQ(page.values[0].size, 5'000'000'000U);
  EXPECT_EQ(page.values[0].etag, "\"e\"");
  EXPECT_THAT(page.folders, ElementsAre("a/c/"));
  EXPECT_EQ(page.next, "next&");
  EXPECT_THROW(static_cast<void>(parse_list(bytes_of("<html>"))), store_error);
}

TEST(S3Documents, HaveTheCodesOfErrorsAlone) {
  EXPECT_EQ(parse_error("<Error><Code>NoSuchKey</Code><Message>m</Message></Error>").code,
            "NoSuchKey");
  EXPECT_EQ(parse_error("<ErrorResponse><Error><Code>A.b</Code></Error></ErrorResponse>").code,
            "A.b");
  for (const char* body : {"", "no XML", "<Error><Code>two words</Code></Error>",
                           "<!DOCTYPE a [<!ENTITY e \"Code\">]><Error><Code>&e;</Code></Error>"}) {
    EXPECT_EQ(parse_error(body).code, "") << body;
  }
}

TEST(S3Documents, EscapeKeys) {
  EXPECT_EQ(erase_document(std::vector<std::string>{"a<b>&"}),
            "<Delete><Quiet>true</Quiet><Object><Key>a&lt;b&gt;&amp;</Key></Object></Delete>");
}

TEST(S3RemoteKeys, HaveTimes) {
  using std::chrono::system_clock;
  EXPECT_EQ(parse_time("2013-05-24T00:00:00Z"), system_clock::from_time_t(1'369'353'600));
  EXPECT_EQ(parse_time("2013-05-24T00:00:00.123Z"), system_clock::from_time_t(1'369'353'600));
  EXPECT_EQ(parse_time("tomorrow"), std::nullopt);
}

TEST(RetryBudget, DelaysRetriesBeyondItsTokens) {
  using budget = http::retry_budget;
  budget retries;
  const budget::clock::time_point begin(std::chrono::hours(1));
  for (int i = 0; i < static_cast<int>(budget::capacity); ++i) {
    EXPECT_EQ(retries.take(begin).count(), 0);
  }
  const double wait = std::chrono::duration<double>(retries.take(begin)).count();
  EXPECT_NEAR(wait, 1 / budget::tokens_per_second, 1e-6);
  EXPECT_EQ(retries.take(begin + std::chrono::seconds(10)).count(), 0);
}

}  // namespace
}  // namespace tessera::s3
