// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The pages of the program itself: they count where a process's memory is measured, and come only
/// when something on them is called for.

namespace tessera {

/// Maps the program and its libraries whole, once, so that what is measured from then on holds them
/// all. Not the library that multiplies matrices, which has code for every processor there is: what
/// of it is used counts as the workspace of products.
///
/// Complexity: where they are in the page cache, about 0.1 milliseconds a megabyte.
void map_code();

}  // namespace tessera
