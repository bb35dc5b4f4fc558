// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The passes of the planner: each changes a graph so that it computes the same and costs no more.

#include "tessera/core/spec.hpp"

#include "plan/graph.hpp"

namespace tessera {

/// Drops what no requested array is computed from.
///
/// keep(v) = v is requested, or some w with v -> w is kept, or v is an output of a kept operation.
void cull(plan_graph& plan);

/// Makes structurally equal vertices one (hash-consing).
///
/// v = w if what they are is equal, and their inputs are equal one by one.
void share(plan_graph& plan);

/// Takes the program of an elementwise producer into the operation that reads its array.
///
/// f(g(x)) for y = g(x), f(y): y is not stored. Applies where nothing else needs y, where f reads
/// each element of y at most once, and where reading x in its place moves no more bytes.
void fuse_producers(plan_graph& plan, const spec& limits);

/// Makes one operation of two that walk the same domain in the same blocks and read a same input.
///
/// (f(x, y), g(x, z)) -> (f, g)(x, y, z): x is read once. Applies where neither needs the other's
/// result and where both together keep to the allowed memory.
void fuse_siblings(plan_graph& plan, const spec& limits);

/// Cuts a fold with few tasks into parts that run side by side, and folds their states.
///
/// fold(x) = combine(partial(x_1), ..., partial(x_n)). Applies where the states of all parts are
/// small against x. Where x lies in the memory of several processes, its parts are those.
void split_folds(plan_graph& plan);

/// Makes blocks larger than a chunk, where their primitive lets it, and where fewer chunks are read
/// twice then.
///
/// Applies as long as reads get fewer and a task keeps to the allowed memory.
void size_blocks(plan_graph& plan, const spec& limits);

/// Lets operations read an array in the memory of several processes from a copy, unless each of
/// their tasks finds all that it reads in one process.
///
/// Not a choice but a duty: nobody can read the memory of another process.
void copy_parts(plan_graph& plan);

/// Makes operands of an operation that are the same view of the same array one.
void unify_operands(array_graph& graph, vertex operation);

}  // namespace tessera
