// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The passes of the planner and their switches.

namespace tessera {

/// Which passes run over a plan. Each can be switched off, to see what it does.
struct pass_switches {
  bool cull = true;            ///< drop operations that nothing asked for
  bool share = true;           ///< one vertex for structurally equal operations (hash-consing)
  bool crop = true;            ///< make of an array what is read of it, and nothing else
  bool fuse_producers = true;  ///< an elementwise producer into the operation that reads it
  bool fuse_siblings = true;   ///< operations that read the same input into one
  bool duplicate = true;       ///< what several read computed by each, where that is less work
  bool keep = true;            ///< what is read again stays on the host from its first reader on
  bool split_folds = true;     ///< long folds into parallel blocks, then one fold of their states
  bool cut_scans = true;       ///< long scans into parallel blocks, each with what is before it
  bool fuse_epilogues = true;  ///< functions of what folds, scans and products make into these
  bool cut_blocks = true;      ///< blocks of whole lines into smaller ones, until a task fits
  bool size_blocks = true;     ///< blocks of several chunks where they save reads
  bool fuse_levels = true;     ///< functions of what is stored, and of coarser elements, made there
  bool stage_rechunks = true;  ///< copies between chunks that would be read again and again
  bool memory_tier = true;     ///< what is between tasks, and results, in memory where they fit
  bool bound_memory = true;    ///< refuse a plan that needs more memory than is allowed
};

}  // namespace tessera
