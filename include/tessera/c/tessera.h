/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESSERA_C_TESSERA_H
#define TESSERA_C_TESSERA_H

/**
 * \file
 * Stored arrays for programs in C, Fortran and languages that call C; the component `c`.
 *
 * A function returns 0, or -1 after an error; `tessera_last_error` has its text. Nothing ends the
 * program, no thread is started. Arrays are row-major: the last axis is contiguous, which is the
 * first one of Fortran.
 *
 * A handle is a number. A handle that was closed, or never opened, is an error, not a crash. All
 * functions may be called from several threads, each array by one at a time.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A handle on an open array. 0 is none. */
typedef int64_t tessera_array;

/** The types of elements. */
typedef enum tessera_dtype {
  TESSERA_BOOL = 0,
  TESSERA_INT8 = 1,
  TESSERA_INT16 = 2,
  TESSERA_INT32 = 3,
  TESSERA_INT64 = 4,
  TESSERA_UINT8 = 5,
  TESSERA_UINT16 = 6,
  TESSERA_UINT32 = 7,
  TESSERA_UINT64 = 8,
  TESSERA_FLOAT16 = 9,
  TESSERA_FLOAT32 = 10,
  TESSERA_FLOAT64 = 11,
  TESSERA_COMPLEX64 = 12,
  TESSERA_COMPLEX128 = 13
} tessera_dtype;

/** The most axes of an array. */
#define TESSERA_MAX_RANK 32

/** The statistics of the elements that are not NaN. */
typedef struct tessera_statistics {
  double min;
  double max;
  double mean;
  /** The standard deviation of the population. */
  double stddev;
  /** The number of elements that are not NaN; if it is 0, the others are 0 too. */
  int64_t count;
} tessera_statistics;

/** Returns the version of the library: "0.1.0". */
const char* tessera_version(void);

/** Returns the text of the last error in this thread, or "". It lives until the next error. */
const char* tessera_last_error(void);

/**
 * Creates a Zarr array without chunks at `path`, in place of an older array, and opens it.
 *
 * An extent may be 0, as of an axis that grows. `names` has a name for each axis, or is null.
 */
int tessera_create(const char* path, int dtype, size_t rank, const int64_t* shape,
                   const int64_t* chunks, const char* const* names, tessera_array* array);

/** Opens the array at `path`, a directory or "scheme://place". */
int tessera_open(const char* path, tessera_array* array);

/** Closes a handle. 0 is no error. */
int tessera_close(tessera_array array);

/** Writes the dtype of an array, a `tessera_dtype`. */
int tessera_get_dtype(tessera_array array, int* dtype);

/** Writes the number of axes of an array. */
int tessera_get_rank(tessera_array array, size_t* rank);

/** Writes the extents of an array; `rank` is the length of `shape`, at most that of the array. */
int tessera_get_shape(tessera_array array, size_t rank, int64_t* shape);

/** Writes the extents of the chunks of an array, as `tessera_get_shape`. */
int tessera_get_chunks(tessera_array array, size_t rank, int64_t* chunks);

/**
 * Reads the box of `extents` elements that begins at `start` into `elements`; chunks that are
 * missing are zeros or the fill value. `size` is the size of `elements`, in bytes; it is an error
 * if the box has another.
 *
 * Memory: a chunk, decoded and encoded.
 */
int tessera_read(tessera_array array, const int64_t* start, const int64_t* extents, void* elements,
                 size_t size);

/** Writes the elements of a box, as `tessera_read` reads them. */
int tessera_write(tessera_array array, const int64_t* start, const int64_t* extents,
                  const void* elements, size_t size);

/**
 * Appends steps along the first axis: as many as `size` bytes are. Readers see all of them or none.
 *
 * Memory: as `tessera_read`.
 */
int tessera_append(tessera_array array, const void* elements, size_t size);

/** Keeps the first `count` steps of an array, as before a restart. */
int tessera_truncate(tessera_array array, int64_t count);

/** Computes the statistics of real elements in one pass. Memory: as `tessera_read`. */
int tessera_get_statistics(tessera_array array, tessera_statistics* statistics);

/**
 * Copies an array in other chunks to `path`, in place of an older array. No task uses more than
 * `memory` bytes; 0: the default.
 */
int tessera_rechunk(tessera_array array, const int64_t* chunks, const char* path, uint64_t memory);

/** Writes the most memory that `tessera_rechunk` of these arguments holds, in bytes. */
int tessera_get_rechunk_memory(tessera_array array, const int64_t* chunks, const char* path,
                               uint64_t memory, uint64_t* bound);

#ifdef __cplusplus
}
#endif

#endif
