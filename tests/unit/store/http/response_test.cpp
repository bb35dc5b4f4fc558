// SPDX-License-Identifier: Apache-2.0
#include "store/http/response.hpp"

#include "tessera/core/error.hpp"

#include "store/http/address.hpp"
#include "store/http/document_key.hpp"
#include "store/http/host_limits.hpp"
#include "store/http/url.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// RFC 9110, 14.4.
TEST(HttpResponse, HasARangeOfTheValue) {
  using http::content_range;
  EXPECT_EQ(http::parse_content_range("bytes 0-9/100"), (content_range{0, 9, 100}));
  EXPECT_EQ(http::parse_content_range(" bytes 42-1233/1234\r\n"), (content_range{42, 1233, 1234}));
  EXPECT_EQ(http::parse_content_range("bytes 42-1233/*"), (content_range{42, 1233, std::nullopt}));
  EXPECT_EQ(http::parse_content_range("bytes */1234"), (content_range{std::nullopt, 0, 1234}));
  for (const char* malformed :
       {"", "bytes", "bytes 0-9", "lines 0-9/10", "bytes 9/10", "bytes a-9/10", "bytes 0-9/x",
        "bytes -9/10", "bytes 0-99999999999999999999/10"}) {
    EXPECT_EQ(http::parse_content_range(malformed), std::nullopt) << malformed;
  }
}

// RFC 9110, 5.6.7.
TEST(HttpResponse, HasADate) {
  EXPECT_EQ(http::parse_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784'111'777);
  EXPECT_EQ(http::parse_date("tomorrow"), std::nullopt);
  EXPECT_EQ(http::parse_date(""), std::nullopt);
}

TEST(HttpDocumentKey, IsTheNameOfADocument) {
  for (const char* key : {".zarray", "a/.zattrs", "zarr.json", "a.b/zarr.json"}) {
    EXPECT_TRUE(http::is_document_key(key)) << key;
  }
  for (const char* key : {"", "c/0", "0.0", ".a/0", "a.json/0", "a.json/", "folder/"}) {
    EXPECT_FALSE(http::is_document_key(key)) << key;
  }
}

http::response_head head_of(std::initializer_list<const char*> lines) {
  http::response_head head;
  for (const char* line : lines) EXPECT_TRUE(head.add(line));
  return head;
}

TEST(HttpResponse, HasHeadersInAnyCase) {
  const auto head = head_of({"HTTP/1.1 206 Partial Content\r\n", "content-length: 10\r\n",
                             "CONTENT-RANGE: bytes 0-9/100\r\n", "ETag: \"a\"\r\n",
                             "Transfer-Encoding: Chunked\r\n"});
  EXPECT_EQ(head.status, 206);
  EXPECT_EQ(head.length, 10U);
  EXPECT_EQ(head.range, (http::content_range{0, 9, 100}));
  EXPECT_EQ(head.version(), value_version("\"a\""));
  EXPECT_TRUE(head.is_chunked);
}

TEST(HttpResponse, EndsWithTheNextStatusLine) {
  const auto head = head_of({"HTTP/1.1 100 Continue\r\n", "ETag: \"a\"\r\n", "HTTP/1.1 200\r\n"});
  EXPECT_EQ(head.status, 200);
  EXPECT_FALSE(head.version().is_known());
}

TEST(HttpResponse, HasNoVersionByAWeakEtag) {
  EXPECT_FALSE(head_of({"HTTP/1.1 200 OK\r\n", "ETag: W/\"a\"\r\n"}).version().is_known());
}

TEST(HttpResponse, HasAtMost64KiBOfHeaders) {
  http::response_head head;
  EXPECT_TRUE(head.add("A: " + std::string(65'000, 'a')));
  EXPECT_FALSE(head.add("B: " + std::string(1'000, 'b')));
}

/// Returns the reason for which a range of status 206 is refused, "" if it is accepted.
std::string refusal_of(const char* range, const char* length, const http::wanted_bytes& asked) {
  const auto head = head_of({"HTTP/1.1 206 Partial Content\r\n", range, length});
  return http::check_body(head, asked).reason;
}

TEST(HttpResponse, IsCheckedAgainstTheRangeThatWasAskedFor) {
  using enum http::wanted_bytes::shape;
  const char* const ten = "Content-Length: 10";
  EXPECT_EQ(refusal_of("Content-Range: bytes 5-14/100", ten, {range, 5, 10}), "");
  EXPECT_EQ(refusal_of("Content-Range: bytes 90-99/100", ten, {range, 90, 20}), "");
  EXPECT_EQ(refusal_of("Content-Range: bytes 90-99/100", ten, {suffix, 0, 10}), "");
  EXPECT_EQ(refusal_of("Content-Range: bytes 0-9/10", ten, {suffix, 0, 20}), "");
  EXPECT_EQ(refusal_of("Content-Range: bytes 5-14/100", "A: b", {range, 5, 10}), "");

  EXPECT_THAT(refusal_of("Content-Range: bytes 6-15/100", ten, {range, 5, 10}),
              HasSubstr("bytes 6-15/100, but 10 B from byte 5 on"));
  EXPECT_THAT(refusal_of("Content-Range: bytes 5-14/100", ten, {range, 5, 11}),
              HasSubstr("but 11 B"));
  EXPECT_THAT(refusal_of("Content-Range: bytes 5-14/12", ten, {range, 5, 10}), Not(""));
  EXPECT_THAT(refusal_of("Content-Range: bytes 80-89/100", ten, {suffix, 0, 10}),
              HasSubstr("the last 10 B"));
  EXPECT_THAT(refusal_of("Content-Range: bytes 0-9/10", ten, {}), HasSubstr("the whole value"));
  EXPECT_THAT(refusal_of("Content-Range: bytes 5-14/*", ten, {range, 5, 10}),
              HasSubstr("no Content-Range with the size"));
  EXPECT_THAT(refusal_of("A: b", ten, {range, 5, 10}), HasSubstr("no Content-Range"));
  EXPECT_THAT(refusal_of("Content-Range: bytes 5-14/100", "Content-Length: 9", {range, 5, 10}),
              HasSubstr("Content-Length is 9"));
}

TEST(HttpResponse, IsRefusedIfItIsEncoded) {
  const auto head = head_of({"HTTP/1.1 200 OK", "Content-Length: 3", "Content-Encoding: gzip"});
  EXPECT_THAT(http::check_body(head, {}).reason, HasSubstr("Content-Encoding \"gzip\""));
  const auto plain =
      head_of({"HTTP/1.1 200 OK", "Content-Length: 3", "Content-Encoding: identity"});
  EXPECT_TRUE(http::check_body(plain, {}).position);
}

TEST(HttpResponse, IsRefusedIfItsEndIsUnknown) {
  EXPECT_THAT(http::check_body(head_of({"HTTP/1.1 200 OK"}), {}).reason,
              HasSubstr("neither Content-Length nor chunks"));
}

// RFC 6890; addresses of the registries' examples.
TEST(HttpAddress, IsPrivateOrPublic) {
  for (const char* text :
       {"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.0.1", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.168.1.1", "::", "::1", "fe80::1", "fd00:ec2::254",
        "::ffff:10.0.0.1", "64:ff9b::a9fe:a9fe", "no address", "fe80::1%eth0"}) {
    EXPECT_TRUE(http::is_private(std::string(text))) << text;
  }
  for (const char* text : {"8.8.8.8", "11.0.0.1", "100.128.0.1", "172.32.0.1", "192.169.0.1",
                           "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"}) {
    EXPECT_FALSE(http::is_private(std::string(text))) << text;
  }
}

TEST(HttpUrl, HasAKeyInFrontOfItsQuery) {
  const auto url = http::parse_url("HTTPS://User:Pass@Host.org:8443/a/b c//?sig=x%2F");
  EXPECT_EQ(url.public_text(), "https://host.org:8443/a/b%20c");
  EXPECT_EQ(url.of_key("u/0.0"), "https://User:Pass@host.org:8443/a/b%20c/u/0.0?sig=x%2F");
  EXPECT_EQ(url.of_key("t=1/a+b?#%"),
            "https://User:Pass@host.org:8443/a/b%20c/t%3D1/a%2Bb%3F%23%25?sig=x%2F");
  EXPECT_EQ(http::parse_url("http://h").of_key("k"), "http://h/k");
}

// RFC 3986, 2.1: "%" stands in front of two hexadecimal digits.
TEST(HttpUrl, EncodesAPercentSignThatEncodesNoByte) {
  const auto encoded = [](const char* path) {
    return http::parse_url("http://h/" + std::string(path)).public_text();
  };
  EXPECT_EQ(encoded("50%/x"), "http://h/50%25/x");
  EXPECT_EQ(encoded("50%25/%c2%b0"), "http://h/50%25/%c2%b0");
  EXPECT_EQ(encoded("a%"), "http://h/a%25");
  EXPECT_EQ(encoded("a%1"), "http://h/a%251");
}

TEST(HttpUrl, IsRefusedWithoutItsSecrets) {
  const auto refusal = [](const char* url) {
    try {
      static_cast<void>(http::parse_url(url));
    } catch (const value_error& failure) {
      return std::string(failure.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("ftp://h/a"), HasSubstr("must be https or http"));
  EXPECT_THAT(refusal("https://"), HasSubstr("no host"));
  EXPECT_THAT(refusal("https://:80/a"), HasSubstr("no host"));
  EXPECT_THAT(refusal("https://secret@h/a#b?secret"),
              ::testing::AllOf(HasSubstr("fragment"), Not(HasSubstr("secret"))));
  EXPECT_THAT(refusal("https://h/a?secret#b"),
              ::testing::AllOf(HasSubstr("fragment"), Not(HasSubstr("secret"))));
}

TEST(HttpUrl, HasAnOrigin) {
  EXPECT_EQ(http::origin_of("https://User@Host/a:b"), "https://host:443");
  EXPECT_EQ(http::origin_of("HTTP://host?a"), "http://host:80");
  EXPECT_EQ(http::origin_of("http://[::1]/a"), "http://[::1]:80");
  EXPECT_EQ(http::origin_of("http://[::1]:8080/a"), "http://[::1]:8080");
}

TEST(HttpLimits, HalveOnARefusalAndGrowByOneForAWindow) {
  using std::chrono::seconds;
  http::host_limits limits;
  const http::host_limits::time_point begin{seconds(1)};
  EXPECT_EQ(limits.window(), 64U);
  limits.note_refusal(begin, begin + seconds(1));
  EXPECT_EQ(limits.window(), 32U);
  limits.note_refusal(begin, begin + seconds(2));
  EXPECT_EQ(limits.window(), 32U) << "the request began before the refusal";
  limits.note_refusal(begin + seconds(3), begin + seconds(4));
  EXPECT_EQ(limits.window(), 16U);
  for (int i = 0; i < 15; ++i) limits.note_success();
  EXPECT_EQ(limits.window(), 16U);
  limits.note_success();
  EXPECT_EQ(limits.window(), 17U);
  for (int i = 0; i < 10'000; ++i) limits.note_success();
  EXPECT_EQ(limits.window(), 64U);
  for (int i = 0; i < 20; ++i) {
    limits.note_refusal(begin + seconds(10 + i), begin + seconds(10 + i));
  }
  EXPECT_EQ(limits.window(), 1U);
}

}  // namespace
}  // namespace tessera::testing
