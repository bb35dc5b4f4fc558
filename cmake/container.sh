#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the image of cmake/packages/Containerfile, by hand before a release, runs the program in it as a
# driver and as copies of a launcher, and writes the figures into examples/launchers/README.md.
#
# Needs root and buildah (Debian: buildah), or the program $BUILDAH with the same arguments. The images of
# Debian come from docker.io, unless they have been imported. Compiles the library.
#
# usage: cmake/container.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
builder=${BUILDAH:-buildah}
image=tessera-cloud

cd "$root"
began=$SECONDS
"$builder" bud --isolation chroot --layers --file cmake/packages/Containerfile --tag "$image" .
seconds=$((SECONDS - began))

work=$(mktemp -d)
container=$("$builder" from "$image")
trap '"$builder" rm "$container" >/dev/null; rm -rf "$work"' EXIT
chmod 0777 "$work"
in_container() {
  "$builder" run --isolation chroot --volume "$work:/data" --volume "$root/examples/launchers:/launchers:ro" \
    "$container" -- "$@"
}
in_container cloud --help >"$work/help"
in_container cloud --make /data/field.zarr
in_container cloud /data/field.zarr /data/serial.zarr --tessera-executor=serial >"$work/log"
in_container cloud /data/field.zarr /data/launched.zarr \
  --tessera-executor=launcher:command=/launchers/shell.sh,workers=2,directory=/data/runs >"$work/log"
diff --recursive "$work/serial.zarr" "$work/launched.zarr"
user=$(in_container id --user --name)

version=$("$builder" --version | cut -d ' ' -f 3)
size=$("$builder" images --format '{{.Size}}' "localhost/$image" | head -n 1)
trial="Trial of $(date --utc +%F), buildah $version, $(nproc) processors: built in $seconds s, an image of $size. As the user
$user it printed its help, made a field, and computed its scores by itself and by four copies of \`shell.sh\`: the same bytes."
page=examples/launchers/README.md
new=$(awk -v trial="$trial" '
  /<!-- end of container -->/ { skips = 0 }
  !skips
  /<!-- container: / { print trial; skips = 1 }' "$page")
printf '%s\n' "$new" >"$page"
echo "$trial"
