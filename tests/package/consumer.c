/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <tessera/c/tessera.h>

/* A program in C: appends a step to an array, and reads it back. */
int main(void) {
  const int64_t shape[] = {0, 3};
  const int64_t chunks[] = {1, 3};
  const int64_t start[] = {0, 0};
  const int64_t extents[] = {1, 3};
  const double step[] = {1, 2, 3};
  double read[] = {0, 0, 0};
  tessera_array array = 0;
  if (tessera_create("consumer-c.zarr", TESSERA_FLOAT64, 2, shape, chunks, NULL, &array) != 0 ||
      tessera_append(array, step, sizeof step) != 0 ||
      tessera_read(array, start, extents, read, sizeof read) != 0 || tessera_close(array) != 0) {
    printf("%s\n", tessera_last_error());
    return 1;
  }
  return read[0] != 1 || read[1] != 2 || read[2] != 3;
}
