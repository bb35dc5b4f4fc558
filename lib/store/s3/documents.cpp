// SPDX-License-Identifier: Apache-2.0
#include "store/s3/documents.hpp"

#include "tessera/core/error.hpp"

#include "store/http/url.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <pugixml.hpp>
#include <sstream>

namespace tessera::s3 {

namespace {

/// Loads a document, and returns its outermost element.
pugi::xml_node load(pugi::xml_document& document, std::span<const std::byte> body,
                    const char* name) {
  const pugi::xml_parse_result result = document.load_buffer(body.data(), body.size());
  const pugi::xml_node root = document.document_element();
  if (!result || std::string_view(root.name()) != name) {
    throw store_error(fmt::format("the server's answer is no XML document <{}>", name));
  }
  return root;
}

std::string text_of(const pugi::xml_node& parent, const char* name) {
  return parent.child(name).text().get();
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '.' ||
           c == '-';
  });
}

std::string name_or_nothing(std::string text) { return is_name(text) ? std::move(text) : ""; }

/// Returns a text of a list, which is encoded as in forms: blanks as "+".
std::string decoded(std::string text, bool is_encoded) {
  if (!is_encoded) return text;
  std::ranges::replace(text, '+', ' ');
  return http::percent_decoded(text);
}

std::string printed(const pugi::xml_document& document) {
  std::ostringstream text;
  document.save(text, "", pugi::format_raw | pugi::format_no_declaration);
  return text.str();
}

}  // namespace

error_document parse_error(std::string_view body) {
  pugi::xml_document document;
  if (!document.load_buffer(body.data(), body.size())) return {};
  const pugi::xml_node root = document.document_element();
  // Those of STS stand in <ErrorResponse>.
  const pugi::xml_node error =
      std::string_view(root.name()) == "Error" ? root : root.child("Error");
  return {name_or_nothing(text_of(error, "Code")), name_or_nothing(text_of(error, "Region"))};
}

list_page parse_list(std::span<const std::byte> body) {
  pugi::xml_document document;
  const pugi::xml_node root = load(document, body, "ListBucketResult");
  const bool is_encoded = text_of(root, "EncodingType") == "url";
  list_page page;
  for (const pugi::xml_node value : root.children("Contents")) {
    page.values.push_back({decoded(text_of(value, "Key"), is_encoded),
                           value.child("Size").text().as_ullong(), text_of(value, "ETag")});
  }
  for (const pugi::xml_node folder : root.children("CommonPrefixes")) {
    page.folders.push_back(decoded(text_of(folder, "Prefix"), is_encoded));
  }
  if (!root.child("IsTruncated").text().as_bool()) return page;
  page.next = text_of(root, "NextContinuationToken");
  if (page.next.empty()) throw store_error("the server's list breaks off without a next page");
  return page;
}

std::string parse_upload_id(std::span<const std::byte> body) {
  pugi::xml_document document;
  std::string id = text_of(load(document, body, "InitiateMultipartUploadResult"), "UploadId");
  if (id.empty()) throw store_error("the server's upload in parts has no name");
  return id;
}

std::vector<kept_key> parse_erase_result(std::span<const std::byte> body) {
  pugi::xml_document document;
  std::vector<kept_key> kept;
  for (const pugi::xml_node error : load(document, body, "DeleteResult").children("Error")) {
    kept.push_back({text_of(error, "Key"), name_or_nothing(text_of(error, "Code"))});
  }
  return kept;
}

granted_keys parse_web_identity(std::span<const std::byte> body) {
  pugi::xml_document document;
  const pugi::xml_node keys = load(document, body, "AssumeRoleWithWebIdentityResponse")
                                  .child("AssumeRoleWithWebIdentityResult")
                                  .child("Credentials");
  return {{text_of(keys, "AccessKeyId"), text_of(keys, "SecretAccessKey"),
           text_of(keys, "SessionToken")},
          text_of(keys, "Expiration")};
}

std::string erase_document(std::span<const std::string> full_keys) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("Delete");
  root.append_child("Quiet").text().set("true");
  for (const std::string& key : full_keys) {
    root.append_child("Object").append_child("Key").text().set(key.c_str());
  }
  return printed(document);
}

std::string complete_document(std::span<const std::string> etags) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("CompleteMultipartUpload");
  unsigned number = 0;
  for (const std::string& etag : etags) {
    pugi::xml_node part = root.append_child("Part");
    part.append_child("PartNumber").text().set(++number);
    part.append_child("ETag").text().set(etag.c_str());
  }
  return printed(document);
}

}  // namespace tessera::s3
