// SPDX-License-Identifier: Apache-2.0
#include "store/s3/bucket.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/s3.hpp"

#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

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

/// Returns the header of the hash of a body of `size` letters "a".
std::string hash_header(const bucket_location& location, std::size_t size) {
  bucket target(location, with_keys, "us-east-1");
  const std::vector<std::byte> body(size, std::byte{'a'});
  const signed_request asked =
      target.new_request({.method = http::request_method::put, .full_key = "x", .body = body});
  for (const std::string& header : asked.request->headers) {
    if (header.starts_with("x-amz-content-sha256: ")) return header.substr(22);
  }
  return "";
}

// Expected: hashlib.sha256 of Python.
TEST(S3Bucket, HashesNoLargeBodiesThatTlsProtects) {
  const char* const largest = "bf718b6f653bebc184e1479f1935b8da974d701b893afcf49e701f3e2f9f9c5a";
  const char* const larger = "008ffc88d3c96a9f307524eb361e47c5222a887fc45fa0c1fb8d429c5c23b430";
  const bucket_location open{.scheme = "s3+http", .endpoint = "127.0.0.1:1", .bucket = "b"};
  EXPECT_EQ(hash_header(open, 65536), largest);
  EXPECT_EQ(hash_header(open, 65537), larger);
  const bucket_location safe{.scheme = "s3", .bucket = "b"};
  EXPECT_EQ(hash_header(safe, 65536), largest);
  EXPECT_EQ(hash_header(safe, 65537), "UNSIGNED-PAYLOAD");
}

}  // namespace
}  // namespace tessera::s3
