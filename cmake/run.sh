#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the dependencies, builds the package that `cmake --install` installs, and runs
# examples/quickstart.
#
# usage: cmake/run.sh [argument of quickstart]...
# shellcheck source=cmake/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/cmake/install-dependencies.sh" build
configure
build_targets tessera_package quickstart
exec "$build/examples/quickstart" "$@"
