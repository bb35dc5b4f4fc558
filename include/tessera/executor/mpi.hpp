// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Tasks on the ranks of an MPI program; a part of the component `mpi`.

#include <cstddef>
#include <memory>
#include <mpi.h>

namespace tessera {

class executor;

namespace executors {

/// Returns an executor that runs tasks on the ranks of `comm`: "mpi" by name, on all ranks. Of
/// `count` ranks, "mpi:<count>" by name, the first ones run tasks; further ones sleep, and have the
/// results as well. Zero: all ranks run tasks.
///
/// Every rank runs the same program and asks for the same results in the same order, as it does in
/// a program without Tessera that calls MPI's collective functions. The first rank hands out the
/// tasks and runs some itself, in a thread beside. All ranks have the results, and if the
/// computation fails all throw the same error. A rank whose computation differs from that of the
/// first is refused, on all ranks. Halves of a communicator that was split compute side by side.
///
/// It makes a duplicate of `comm`, so that its messages meet no others. MPI is initialised before,
/// with MPI_THREAD_FUNNELED or more (with less, the first rank only hands out). An executor that is
/// made by name initialises MPI if the program has not, and finalises it at exit.
///
/// Ranks of one host share the memory of intermediate arrays. Ranks of several hosts have them in
/// storage, and so are results that all ranks read.
///
/// A rank that dies takes the program with it, as MPI does. The same command started again
/// continues from the stored arrays.
///
/// Threads: made and used by one thread: that which initialised MPI, or another one with
///          MPI_THREAD_SERIALIZED. A computation that another thread asks for is refused, on all
///          ranks; threads that compute side by side have an executor each, made of a communicator
///          each, with MPI_THREAD_MULTIPLE. What a task computes itself is run in its own thread.
/// Throws:  value_error <- MPI is not initialised, or allows this thread no call; `comm` is null,
/// or
///          has fewer than `count` ranks.
[[nodiscard]] std::shared_ptr<executor> mpi(MPI_Comm comm = MPI_COMM_WORLD, std::size_t count = 0);

}  // namespace executors

}  // namespace tessera
