#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what Tessera and its tests need, builds everything, and runs the tests.
#
# usage: cmake/test.sh [argument of cmake]...
# shellcheck source=cmake/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/cmake/install-dependencies.sh" tests
configure -DTESSERA_TESTS=ON "$@"
build_targets

log=$build/logs/ctest.log
status=0
ctest --test-dir "$build" --parallel "$(parallel_jobs)" --output-on-failure --no-tests=error \
  >"$log" 2>&1 || status=$?
if ((status != 0)); then
  # What failed, in full; what passed, not at all.
  grep -vE '^ *Start +[0-9]+: |   Passed +[0-9.]+ sec$' "$log" || true
else
  sed -n '/ tests passed, /,$p' "$log"
fi
exit "$status"
