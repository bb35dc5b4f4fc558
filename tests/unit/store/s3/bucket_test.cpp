// SPDX-License-Identifier: Apache-2.0
#include "store/s3/bucket.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/s3.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tessera::s3 {
namespace {

using ::testing::StartsWith;

const s3_options with_keys{.keys = {"AKIDTEST", "SECRETTEST"}};

bucket bucket_of_amazon() { return {{.scheme = "s3", .bucket = "b.c"}, with_keys, "us-east-1"}; }

/// Gives a request the answer that the bucket is in a region.
void answer_elsewhere(http::request& asked, const std::string& region) {
  asked.last_answer.status = 301;
  asked.last_answer.headers = {{"x-amz-bucket-region", region}};
}

// Amazon S3 API Reference, HeadBucket: x-amz-bucket-region.
TEST(S3Bucket, LearnsItsRegionByEachRequestToAnotherOne) {
  bucket target = bucket_of_amazon();
  const signed_request first = target.new_request({.full_key = "x"});
  const signed_request second = target.new_request({.full_key = "y"});
  EXPECT_THAT(first.request->url, StartsWith("https://s3.us-east-1.amazonaws.com/"));
  for (const signed_request* asked : {&first, &second}) {
    answer_elsewhere(*asked->request, "eu-west-1");
    EXPECT_TRUE(target.learn_from(*asked->request, asked->scope));
  }
  const signed_request next = target.new_request({.full_key = "x"});
  EXPECT_THAT(next.request->url, StartsWith("https://s3.eu-west-1.amazonaws.com/"));
  answer_elsewhere(*next.request, "eu-west-1");
  EXPECT_FALSE(target.learn_from(*next.request, next.scope));
}

TEST(S3Bucket, SendsNoSignatureToHostsInNamesOfRegions) {
  bucket target = bucket_of_amazon();
  for (const char* region : {"evil.org/", "evil.org#", "a@b", "a.b", ""}) {
    const signed_request asked = target.new_request({.full_key = "x"});
    answer_elsewhere(*asked.request, region);
    EXPECT_FALSE(target.learn_from(*asked.request, asked.scope)) << region;
    EXPECT_THAT(asked.request->url, StartsWith("https://s3.us-east-1.amazonaws.com/")) << region;
  }
  EXPECT_THROW(bucket({.scheme = "s3", .bucket = "b.c"}, with_keys, "evil.org/"), value_error);
}

}  // namespace
}  // namespace tessera::s3
