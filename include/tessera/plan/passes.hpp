// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The passes of the planner and their switches.

namespace tessera {

/// The passes that run over a plan. Each can be switched off, to see its effect.
struct pass_switches {
  bool cull = true;            ///< dead code: drop operations that no result depends on
  bool share = true;           ///< one vertex for structurally equal operations (hash-consing)
  bool crop = true;            ///< push regions down: compute only the box that readers need
  bool fuse_producers = true;  ///< inline an elementwise producer into its only reader
  bool fuse_siblings = true;   ///< fuse operations that read the same view
  bool duplicate = true;       ///< recompute an array in each reader, if that is less work
  bool keep = true;            ///< cache a repeatedly read input in memory
  bool split_folds = true;     ///< tree reduction: cut folds into parts, and combine their states
  bool cut_scans = true;       ///< parallel prefix scan: cut scans into parts with carried states
  bool fuse_epilogues = true;  ///< append elementwise functions to folds, scans and products
  bool cut_blocks = true;      ///< cut blocks of whole lines until a task fits
  bool size_blocks = true;     ///< enlarge blocks to several chunks if that saves reads
  bool fuse_levels = true;     ///< fuse functions of stored results: copies, coarser levels
  bool stage_rechunks = true;  ///< copy through other chunks that are read less often
  bool memory_tier = true;     ///< hold intermediates and results in memory if there is room
  bool bound_memory = true;    ///< refuse a plan that needs more memory than is allowed
};

}  // namespace tessera
