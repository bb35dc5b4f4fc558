// SPDX-License-Identifier: Apache-2.0
/// \file
/// The examples of "Signature Calculations for the Authorization Header" in the Amazon S3 API
/// Reference: requests of one access key, with their signatures.

#include "store/s3/signature.hpp"

#include "store/s3/hashes.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace tessera::s3 {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr const char* time_of_examples = "20130524T000000Z";

/// Returns the header Authorization of an example with a body.
std::string authorization_of(signed_parts parts, const std::string& body = "") {
  const s3_keys keys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
  parts.body_hash = sha256_hex(body);
  parts.headers.emplace_back("host", "examplebucket.s3.amazonaws.com");
  parts.headers.emplace_back("x-amz-content-sha256", parts.body_hash);
  parts.headers.emplace_back("x-amz-date", time_of_examples);
  return authorization(parts, {.keys = keys, .region = "us-east-1", .time = time_of_examples});
}

TEST(S3Signature, IsThatOfTheExampleOfGetObject) {
  const signed_parts parts{
      .method = "GET", .path = "/test.txt", .headers = {{"range", "bytes=0-9"}}};
  EXPECT_EQ(authorization_of(parts),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(S3Signature, IsThatOfTheExampleOfPutObject) {
  const signed_parts parts{.method = "PUT",
                           .path = "/test%24file.text",
                           .headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                       {"x-amz-storage-class", "REDUCED_REDUNDANCY"}}};
  EXPECT_THAT(authorization_of(parts, "Welcome to Amazon S3."),
              EndsWith("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(S3Signature, IsThatOfTheExampleOfBucketLifecycle) {
  const signed_parts parts{.method = "GET", .path = "/", .query = {{"lifecycle", ""}}};
  EXPECT_THAT(authorization_of(parts),
              EndsWith("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST(S3Signature, IsThatOfTheExampleOfListObjects) {
  const signed_parts parts{
      .method = "GET", .path = "/", .query = {{"prefix", "J"}, {"max-keys", "2"}}};
  EXPECT_THAT(authorization_of(parts),
              EndsWith("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(S3Signature, EncodesTheQuery) {
  EXPECT_EQ(canonical_query({{"prefix", "a b/\xC3\xA4+"}, {"list-type", "2"}, {"acl", ""}}),
            "acl=&list-type=2&prefix=a%20b%2F%C3%A4%2B");
}

TEST(S3Signature, HasTheTimeInBasicFormat) {
  EXPECT_EQ(basic_time(std::chrono::system_clock::from_time_t(1'369'353'600)), time_of_examples);
}

// RFC 1864 and RFC 1321, A.5: the MD5 hash of "abc" is 900150983cd24fb0d6963f7d28e17f72.
TEST(S3Hashes, AreThoseOfTheStandards) {
  EXPECT_EQ(md5_base64("abc"), "kAFQmDzST7DWlj99KOF/cg==");
  // FIPS 180-2, B.1.
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // RFC 4231, 4.3.
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  // RFC 4231, 4.7: a key that is longer than a block.
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xAA'),
                            "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace
}  // namespace tessera::s3
