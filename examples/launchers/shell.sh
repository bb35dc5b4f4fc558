#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A launcher in the shell: runs elements on this host, TESSERA_ARRAY_WORKERS at once. Its exit code is
# the largest one of an element. It repeats nothing and limits no memory.
#
#   ./program --tessera-executor=launcher:command=examples/launchers/shell.sh,workers=4
codes=$(seq 0 $((TESSERA_ARRAY_SIZE - 1)) |
  xargs -P "$TESSERA_ARRAY_WORKERS" -I @index@ \
    sh -c 'TESSERA_INDEX=@index@ "$@" >&2 || echo $?' sh "$@")
exit "$(echo "${codes:-0}" | sort -n | tail -n 1)"
