// SPDX-License-Identifier: Apache-2.0
/// \file
/// The functions of arrays of the C interface: each checks its pointers, and calls one function of
/// the library inside `guarded`, which turns exceptions into codes.
#include "tessera/array/any_array.hpp"
#include "tessera/c/tessera.h"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/version.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "c/handles.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::c {

namespace {

static_assert(static_cast<int>(dtype::boolean) == TESSERA_BOOL);
static_assert(static_cast<int>(dtype::float64) == TESSERA_FLOAT64);
static_assert(static_cast<int>(dtype::complex128) == TESSERA_COMPLEX128);

dtype dtype_of_number(int number) {
  if (number < TESSERA_BOOL || number > TESSERA_COMPLEX128) {
    throw value_error(fmt::format("{} is no dtype", number));
  }
  return static_cast<dtype>(number);
}

/// Returns `rank` numbers. Throws: value_error <- they are too many, or the pointer is null.
index_vector numbers_at(const std::int64_t* first, std::size_t rank, const char* name) {
  if (rank > TESSERA_MAX_RANK) {
    throw value_error(fmt::format("{} axes are more than {}", rank, TESSERA_MAX_RANK));
  }
  if (rank == 0) return {};
  return {required(first, name), first + rank};
}

/// Returns the box of `extents` at `start`. Throws: shape_error <- it is not in the array.
region box_of(const zarr_array& array, const std::int64_t* start, const std::int64_t* extents) {
  region box{numbers_at(start, array.rank(), "start"),
             numbers_at(extents, array.rank(), "extents")};
  for (std::size_t axis = 0; axis < array.rank(); ++axis) {
    const index_t extent = array.shape()[axis];
    const bool begins_inside = box.start[axis] >= 0 && box.start[axis] <= extent;
    if (!begins_inside || box.stop[axis] < 0 || box.stop[axis] > extent - box.start[axis]) {
      throw shape_error(fmt::format("{} elements from {} on are not in axis {} of shape {}",
                                    box.stop[axis], box.start[axis], axis,
                                    format_shape(array.shape())));
    }
    box.stop[axis] += box.start[axis];
  }
  return box;
}

void copy_numbers(const index_vector& numbers, std::size_t rank, std::int64_t* into) {
  if (rank != numbers.size()) {
    throw value_error(fmt::format("the array has rank {}, not {}", numbers.size(), rank));
  }
  if (rank > 0) std::ranges::copy(numbers, required(into, "numbers"));
}

std::vector<std::string> names_at(const char* const* names, std::size_t rank) {
  std::vector<std::string> texts;
  for (std::size_t axis = 0; names != nullptr && axis < rank; ++axis) {
    texts.emplace_back(required(names[axis], "names"));
  }
  return texts;
}

/// Returns the array in other chunks.
any_array rechunked(tessera_array array, const std::int64_t* chunks, std::uint64_t memory) {
  const zarr_array source = array_of(array);
  const index_vector lengths = numbers_at(chunks, source.rank(), "chunks");
  spec limits = default_spec();
  if (memory != 0) limits.allowed_memory = bytes{memory};
  const any_array opened = open_any(source.store(), source.path(), {.spec = limits});
  return rechunk(opened, chunk_lengths(std::vector<index_t>(lengths.begin(), lengths.end())));
}

}  // namespace

}  // namespace tessera::c

using namespace tessera;
using namespace tessera::c;

extern "C" {

extern const bool tessera_c_is_registered;
const bool tessera_c_is_registered = true;

const char* tessera_version(void) {
  static const std::string text =
      fmt::format("{}.{}.{}", TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH);
  return text.c_str();
}

int tessera_create(const char* path, int dtype, size_t rank, const int64_t* shape,
                   const int64_t* chunks, const char* const* names, tessera_array* array) {
  return guarded([&] {
    const std::string location = required(path, "path");
    *required(array, "array") = 0;
    const zarr_metadata metadata{.shape = numbers_at(shape, rank, "shape"),
                                 .chunks = numbers_at(chunks, rank, "chunks"),
                                 .dtype = dtype_of_number(dtype)};
    attributes described;
    if (names != nullptr) described.set("_ARRAY_DIMENSIONS", names_at(names, rank));
    *array = add_handle(zarr_array::create(location, metadata, described, existing::replace));
  });
}

int tessera_open(const char* path, tessera_array* array) {
  return guarded([&] {
    const std::string location = required(path, "path");
    *required(array, "array") = 0;
    *array = add_handle(zarr_array::open(location));
  });
}

int tessera_close(tessera_array array) {
  return guarded([&] {
    if (array != 0) remove_handle(array);
  });
}

int tessera_get_dtype(tessera_array array, int* dtype) {
  return guarded([&] { *required(dtype, "dtype") = static_cast<int>(array_of(array).dtype()); });
}

int tessera_get_rank(tessera_array array, size_t* rank) {
  return guarded([&] { *required(rank, "rank") = array_of(array).rank(); });
}

int tessera_get_shape(tessera_array array, size_t rank, int64_t* shape) {
  return guarded([&] { copy_numbers(array_of(array).shape(), rank, shape); });
}

int tessera_get_chunks(tessera_array array, size_t rank, int64_t* chunks) {
  return guarded([&] { copy_numbers(array_of(array).chunks(), rank, chunks); });
}

int tessera_read(tessera_array array, const int64_t* start, const int64_t* extents, void* elements,
                 size_t size) {
  return guarded([&] {
    const zarr_array source = array_of(array).with({.missing = missing_chunks::fill});
    const region box = box_of(source, start, extents);
    auto* const into =
        static_cast<std::byte*>(size == 0 ? elements : required(elements, "elements"));
    chunk_buffers buffers(source);
    (void)source.read_region(box, {into, size}, buffers.decoded(), buffers.encoded());
  });
}

int tessera_write(tessera_array array, const int64_t* start, const int64_t* extents,
                  const void* elements, size_t size) {
  return guarded([&] {
    const zarr_array target = array_of(array).with({.missing = missing_chunks::fill});
    const region box = box_of(target, start, extents);
    const auto* const from =
        static_cast<const std::byte*>(size == 0 ? elements : required(elements, "elements"));
    chunk_buffers buffers(target);
    target.write_region(box, {from, size}, buffers.decoded(), buffers.encoded());
  });
}

int tessera_append(tessera_array array, const void* elements, size_t size) {
  return guarded([&] {
    const zarr_array target = array_of(array);
    const auto* const from =
        static_cast<const std::byte*>(size == 0 ? elements : required(elements, "elements"));
    chunk_buffers buffers(target);
    replace_array(array, target.append(0, {from, size}, buffers.decoded(), buffers.encoded()));
  });
}

int tessera_truncate(tessera_array array, int64_t count) {
  return guarded([&] {
    const zarr_array target = array_of(array);
    if (target.rank() == 0 || count < 0 || count > target.shape()[0]) {
      throw shape_error(fmt::format("an array of shape {} cannot keep {} steps",
                                    format_shape(target.shape()), count));
    }
    index_vector shape = target.shape();
    shape[0] = count;
    replace_array(array, target.resize(shape));
  });
}

int tessera_rechunk(tessera_array array, const int64_t* chunks, const char* path, uint64_t memory) {
  return guarded([&] {
    const std::string location = required(path, "path");
    (void)store(rechunked(array, chunks, memory), location,
                run_with{.executor = executors::serial()});
  });
}

int tessera_get_rechunk_memory(tessera_array array, const int64_t* chunks, const char* path,
                               uint64_t memory, uint64_t* bound) {
  return guarded([&] {
    const std::string location = required(path, "path");
    const any_array copy = rechunked(array, chunks, memory);
    *required(bound, "bound") =
        plan(stored(copy, location), run_with{.executor = executors::serial()})
            .projected_host_memory()
            .count();
  });
}

}  // extern "C"
