#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures programs over arrays far away, requests on loopback, and programs that end amid reads:
#   - remote_benchmark against benchmarks/delaying_server.py (30 ms, 60 MB/s a connection), without
#     TLS and with it, with 8 requests in flight for each of two threads. The server keeps results in
#     memory: a disk may be slower than 16 connections;
#   - request_benchmark against nginx, without TLS and with it;
#   - 200 programs that end while they read by TLS.
# The programs are built before: remote_benchmark, request_benchmark and http_exit_program. The data
# take 4 GB and are written by the first run.
#
# usage: cmake/remote.sh <build folder> <folder of data>
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath "$1")
mkdir -p "$2"
data=$(realpath "$2")
python=${TESSERA_PYTHON:-/usr/bin/python3}

mkdir -p "$data/served/bucket" "$data/files"
work=$(mktemp -d)
served=$(mktemp -d -p /dev/shm)
processes=()
finish() {
  for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
  rm -rf "$work" "$served"
}
trap finish EXIT

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$work/key.pem" -out "$work/ca.pem" 2>/dev/null
cat "$work/key.pem" "$work/ca.pem" > "$work/both.pem"
export AWS_ACCESS_KEY_ID=A AWS_SECRET_ACCESS_KEY=S AWS_REGION=us-east-1
export AWS_CA_BUNDLE=$work/ca.pem
export TESSERA_BENCHMARK_NETWORK=350 TESSERA_BENCHMARK_FILES=$data/served/bucket

[[ -d $data/served/bucket/shards ]] ||
  "$build/benchmarks/remote_benchmark" --write "$data/served/bucket"
cat "$data"/served/bucket/*/* "$data"/served/bucket/shards/c/* > /dev/null 2>&1 || true

mkdir "$served/bucket"
for array in x packed shards; do ln -s "$data/served/bucket/$array" "$served/bucket/$array"; done

# serve <port file> [<PEM file>]
serve() {
  "$python" -B "$root/benchmarks/delaying_server.py" "$served" 0 30 60 "${@:2}" > "$1" &
  processes+=($!)
  until [[ -s $1 ]]; do sleep 0.1; done
}
serve "$work/port"
serve "$work/tls_port" "$work/both.pem"

for scheme in http https; do
  port=$(cat "$work/$([[ $scheme == http ]] || echo tls_)port")
  echo "== far away: $scheme"
  TESSERA_BENCHMARK_STORE=s3+$scheme://127.0.0.1:$port/bucket "$build/benchmarks/remote_benchmark"
  rm -rf "$served/bucket/roots" "$served/bucket/copies"
done

port=$((20000 + RANDOM % 10000))
mkdir -p "$work/nginx"
cat > "$work/nginx.conf" <<END
$([[ $(id -u) != 0 ]] || echo "user root;")
daemon off;
master_process off;
pid $work/nginx.pid;
events { worker_connections 1024; }
http {
  client_body_temp_path $work/nginx;
  proxy_temp_path $work/nginx;
  fastcgi_temp_path $work/nginx;
  uwsgi_temp_path $work/nginx;
  scgi_temp_path $work/nginx;
  access_log off;
  sendfile on;
  keepalive_requests 1000000;
  open_file_cache max=1000;
  server {
    listen 127.0.0.1:$port;
    listen 127.0.0.1:$((port + 1)) ssl;
    ssl_certificate $work/ca.pem;
    ssl_certificate_key $work/key.pem;
    root $data/files;
  }
}
END
nginx -c "$work/nginx.conf" -e "$work/error.log" &
processes+=($!)
until curl -s -o "$work/answer" "http://127.0.0.1:$port/"; do sleep 0.1; done

# A run on the folder writes the values, and reads none of them.
TESSERA_BENCHMARK_STORE=$data/files "$build/benchmarks/request_benchmark" --benchmark_min_time=0.01 > "$work/writes" 2>&1 || true
for url in "http://127.0.0.1:$port" "https://127.0.0.1:$((port + 1))"; do
  echo "== loopback: ${url%%:*}"
  TESSERA_BENCHMARK_STORE=$url "$build/benchmarks/request_benchmark" --benchmark_min_time=2
done

echo "== ends amid reads"
head -c 1000000 /dev/urandom > "$data/files/k"
failures=0
for ((i = 0; i < 200; ++i)); do
  "$build/tests/unit/store/http/http_exit_program" "https://127.0.0.1:$((port + 1))" "$((i % 50 * 2))" \
    "$work/ca.pem" || failures=$((failures + 1))
done
echo "$failures of 200 programs failed"
