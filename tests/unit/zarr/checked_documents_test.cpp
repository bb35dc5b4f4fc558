// SPDX-License-Identifier: Apache-2.0

/// \file
/// Documents that a run has read before it creates an array in a store that is far away.

#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_group.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include "unit/task/remote_store.hpp"
#include "unit/zarr/support.hpp"
#include "unit/zarr/watched_store.hpp"
#include "zarr/create_array.hpp"
#include "zarr/document_reader.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing::zarr {
namespace {

zarr_metadata metadata_of_version_3() {
  zarr_metadata metadata;
  metadata.format = 3;
  metadata.shape = {4};
  metadata.chunks = {2};
  return metadata;
}

// Another program creates the group above after the documents were read.
TEST(CheckedDocuments, DoNotReplaceAGroupThatHasAppeared) {
  const auto store = std::make_shared<remote_store>();
  const auto documents = detail::far_documents(*store, "group/x");
  static_cast<void>(zarr_group::create(store, "group", {{"title", "kept"}}, 3));
  static_cast<void>(detail::create_array(store, "group/x", metadata_of_version_3(), {},
                                         existing::replace, documents.get()));
  EXPECT_EQ(zarr_group::open(store, "group").attributes().get<std::string>("title"), "kept");
}

// A user may read and write objects of a bucket, and not list them. The queue of the reads must end
// before their memory: the address sanitizer sees it.
TEST(CheckedDocuments, EndTheirReadsWhereTheFolderCannotBeListed) {
  const auto store = std::make_shared<remote_store>();
  static_cast<void>(zarr_group::create(store, "group", {{"title", "kept"}}, 3));
  store->may_list = false;
  EXPECT_THROW(static_cast<void>(detail::far_documents(*store, "group/x")), store_error);
  EXPECT_GT(store->log().num_given_up, 0U);
}

// Attributes and consolidated metadata exceed the 64 KiB that are read at once with the rest.
TEST(CheckedDocuments, OfUpTo4MiBAreReadOnce) {
  constexpr std::size_t limit = std::size_t{8} << 20;
  constexpr std::size_t kept = std::size_t{4} << 20;
  const auto store = std::make_shared<watched_store>(in_memory());
  int num_reads = 0;
  store->after_read = [&](std::string_view) { ++num_reads; };
  for (const std::size_t size :
       {detail::usual_document, detail::usual_document + 1, kept, kept + 1}) {
    const std::vector<std::byte> document(size, std::byte{7});
    store->write("zarr.json", document);
    const detail::document_reader reader(*store, "", {"zarr.json"});
    num_reads = 0;
    for (int i = 0; i < 2; ++i) EXPECT_EQ(reader.read_all("zarr.json", limit), document) << size;
    EXPECT_EQ(num_reads, size > kept ? 2 : 1) << size;
  }
}

}  // namespace
}  // namespace tessera::testing::zarr
