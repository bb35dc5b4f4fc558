#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages that Tessera needs, and does nothing where they are all there.
#
# usage: cmake/install-dependencies.sh [build | tests]
#   build  what configuring and building everything needs (the default)
#   tests  what the tests need besides: Python's Zarr to compare with, xtensor to exchange arrays with,
#          FFTW, a second compiler with its fuzzer, sanitizers, formatter and checks, a debugger, Slurm,
#          Grid Engine, an emulator of processors, a browser, a server of S3, shells with completion, programs that
#          check packages and read docstrings
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache pkg-config
  libboost-dev libeigen3-dev librandom123-dev libblosc-dev zlib1g-dev libzstd-dev libbz2-dev
  liblzma-dev liblz4-dev libxxhash-dev libtbb-dev libfmt-dev libcli11-dev
  nlohmann-json3-dev libcurl4-openssl-dev libssl-dev libpugixml-dev libopenblas-dev libopenmpi-dev openmpi-bin
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev python3
  graphviz doxygen
)
if [[ ${1:-build} == tests ]]; then
  packages+=(python3-pip python3-venv python3-numpy python3-numcodecs python3-zarr python3-xarray python3-cftime libxtensor-dev
             libfftw3-dev gdb
             clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge
             qemu-user-static iproute2 libmunge2 libtirpc3
             nginx-light radosgw ceph-mon ceph-osd ceph-common ceph-base openssl chromium
             groff-base zsh fish lintian dpkg-dev file fakeroot)
fi

if ! { command -v dpkg-query && command -v apt-get; } >/dev/null; then
  echo "not a Debian system: Tessera needs what Debian calls ${packages[*]}" >&2
  exit 0
fi

# Grid Engine is unpacked and not installed: its packages want a mail server. Without it, its tests
# are left out.
unpack_grid_engine() {
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/tessera/grid_engine
  local packages=(gridengine-{master,exec,client,common} libjemalloc2) package work
  [[ ! -e $folder ]] || return 0
  mkdir -p "${folder%/*}"
  work=$(mktemp -d "${folder%/*}/unpacking-XXXXXX")
  chmod 0755 "$work"
  if (cd "$work" && { apt-get download "${packages[@]}" ||
    { "${as_root[@]}" apt-get update && apt-get download "${packages[@]}"; }; }) >"$work/log" 2>&1; then
    for package in "$work"/*.deb; do dpkg --extract "$package" "$work/unpacked"; done
    mv "$work/unpacked" "$folder"
  else
    echo "no tests on Grid Engine: $(tail -n 1 "$work/log")" >&2
  fi
  rm -rf "$work"
}

missing=()
for package in "${packages[@]}"; do
  # shellcheck disable=SC2016
  status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done

# install_environment <name> <subject> <arguments of pip install>...: makes an environment of Python for tests
# of launchers. Without it, its tests are left out.
install_environment() {
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/tessera/launchers/$1 subject=$2 arguments
  [[ ! -e $folder ]] || return 0
  shift 2
  python3 -m venv "$folder" >&2 || true
  for arguments in "$@"; do
    # shellcheck disable=SC2086
    "$folder/bin/python" -m pip install --quiet $arguments >&2 && continue
    echo "no tests $subject" >&2
    rm -rf "$folder"
    return 0
  done
}

# kubernetes and botocore want different versions of python-dateutil. Either serves.
install_for_tests() {
  unpack_grid_engine
  install_environment distributed "on Dask" distributed==2026.8.0
  install_environment models "of the forms of launchers" \
    "kubernetes==37.0.2 google-cloud-batch==0.22.4 google-cloud-run==0.16.2 jmespath" "--no-deps botocore==1.44.8"
}

as_root=(env)
if [[ $(id -u) -ne 0 ]] && command -v sudo >/dev/null; then as_root=(sudo env); fi
if [[ ${#missing[@]} -eq 0 ]]; then
  [[ ${1:-build} != tests ]] || install_for_tests
  exit 0
fi

if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "missing packages, and neither root nor sudo to install them: run as root" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    --option APT::Keep-Downloaded-Packages=false "${missing[@]}" >"$log" 2>&1
}

echo "installing ${missing[*]}"
# The lists of packages are fetched only where those at hand do not do.
if ! install; then
  if ! { "${as_root[@]}" apt-get update >"$log" 2>&1 && install; }; then
    tail -n 30 "$log" >&2
    echo "apt-get failed; the end of its output is above" >&2
    exit 1
  fi
fi
[[ ${1:-build} != tests ]] || install_for_tests
