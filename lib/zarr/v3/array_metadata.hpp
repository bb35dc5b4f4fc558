// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Converts between the documents of version 3 and the metadata of any version.

#include "tessera/zarr/zarr_metadata.hpp"

#include "zarr/array_state.hpp"
#include "zarr/v3/array_document.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tessera::detail::v3 {

/// Returns the metadata of a document; its attributes are left out.
[[nodiscard]] zarr_metadata metadata_of(const array_document& document);

/// Returns the document of an array of version 3, without attributes.
///
/// Throws: zarr_error <- version 3 cannot state the metadata: fields have several byte orders, or a
/// filter of elements is behind a codec of bytes. codec_error <- a codec does not fit.
[[nodiscard]] array_document document_of(const zarr_metadata& metadata);

/// Returns the shards of an array, or a null pointer if it has none.
///
/// Throws: as `document_of`.
[[nodiscard]] std::shared_ptr<const stored_shards> shards_of(const zarr_metadata& metadata);

/// Throws zarr_error unless version 3 can state the metadata.
void validate(const zarr_metadata& metadata);

}  // namespace tessera::detail::v3
