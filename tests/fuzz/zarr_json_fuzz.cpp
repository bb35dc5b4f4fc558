// SPDX-License-Identifier: Apache-2.0

/// \file
/// The file `zarr.json` of arrays and groups.

#include "fuzz/fuzz_metadata.hpp"
#include "zarr/v3/array_document.hpp"
#include "zarr/v3/group_text.hpp"
#include "zarr/v3/node_document.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

namespace {

namespace v3 = tessera::detail::v3;

/// Rewrites the documents below a group, and removes them one by one.
void edit(std::string_view text) {
  try {
    const auto nodes = v3::parse_consolidated(text);
    if (!nodes) return;
    const std::string rewritten = v3::with_consolidated(text, *nodes);
    if (v3::parse_consolidated(rewritten)->size() != nodes->size()) std::abort();
    v3::group_text edited{std::string(text)};
    edited.set_attributes("{}");
    for (const auto& [path, document] : *nodes) {
      static_cast<void>(v3::parse_consolidated(edited.text()));
      edited.erase(path);
    }
    if (!v3::parse_consolidated(edited.text())->empty()) std::abort();
  } catch (const tessera::zarr_error&) {
  }
}

/// Makes the codec of an array; a chunk that is too large for a codec is refused here.
void make_codec(const v3::array_document& document) {
  try {
    static_cast<void>(document.chunks());
    static_cast<void>(document.chunk_layout());
    static_cast<void>(document.make_codec());
  } catch (const tessera::codec_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto write = [](const auto& document) { return document.to_json(); };
  tessera::testing::fuzz_metadata(data, size, v3::group_document::parse, write);
  edit({reinterpret_cast<const char*>(data), size});
  return tessera::testing::fuzz_metadata(data, size, v3::array_document::parse,
                                         [](const v3::array_document& document) {
                                           make_codec(document);
                                           return document.to_json();
                                         });
}
