#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command beside a Grid Engine of one node, which ends with the command. Network, host name
# and processes are in namespaces of their own: Grid Engine listens on all addresses, and wants host
# names that resolve. It needs root, `ip`, and Debian's packages gridengine-master, gridengine-exec,
# gridengine-client, gridengine-common and libjemalloc2, unpacked into a folder: an installation
# would want a mail server.
#
# usage: cluster.sh run <packages> <command>...   with SGE_ROOT and the commands of Grid Engine in PATH
#        cluster.sh check <packages>              tells whether `run` can work here
#
# In the command:
#        cluster.sh kill-node                     as if the host of all jobs had lost its power
#        cluster.sh start-node
#        cluster.sh kill-master
#        cluster.sh start-master
set -euo pipefail

slots=32
self=$(realpath "${BASH_SOURCE[0]}")

# wait_until <seconds> <command>...: fails if the command has not succeeded by then.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || return 1
    sleep 0.05
  done
}

# fail <reason>: prints the last words of the daemons, and exits.
fail() {
  echo "cluster.sh: $1" >&2
  for log in "$SGE_ROOT"/log "$SGE_ROOT"/spool/*/messages "$SGE_ROOT"/spool/*/*/messages; do
    [[ -s $log ]] || continue
    echo "--- the end of $log" >&2
    tail -n 15 "$log" >&2
  done
  exit 1
}

# configuration: the default of the package, changed.
configuration() {
  sed -E "s|^(execd_spool_dir ).*|\1 $SGE_ROOT/spool|
    s|^(min_[ug]id ).*|\1 0|
    s|^(mailer ).*|\1 /bin/true|
    s|^(administrator_mail ).*|\1 none|
    s|^(load_report_time ).*|\1 00:00:01|
    s|^(max_unheard ).*|\1 00:00:03|
    s|^(reschedule_unknown ).*|\1 00:00:02|
    s|^(max_aj_tasks ).*|\1 61|" /usr/share/gridengine/default-configuration
}

# make_root: the files that the daemons need.
make_root() {
  local lib=/usr/lib/gridengine arch=lx-amd64
  mkdir -p "$SGE_ROOT"/{default/common,spool/qmaster,bin,utilbin}
  ln -s "$lib" "$SGE_ROOT/bin/$arch"
  ln -s "$lib" "$SGE_ROOT/utilbin/$arch"
  ln -s /usr/share/gridengine/util "$SGE_ROOT/util"
  hostname >"$SGE_ROOT/default/common/act_qmaster"
  cat >"$SGE_ROOT/default/common/bootstrap" <<END
admin_user              none
default_domain          none
ignore_fqdn             true
spooling_method         classic
spooling_lib            libspoolc
spooling_params         $SGE_ROOT/default/common;$SGE_ROOT/spool/qmaster
binary_path             $SGE_ROOT/bin
qmaster_spool_dir       $SGE_ROOT/spool/qmaster
security_mode           none
listener_threads        2
worker_threads          2
scheduler_threads       1
END
  configuration >"$SGE_ROOT/configuration"
  "$lib/spoolinit" classic libspoolc "$SGE_ROOT/default/common;$SGE_ROOT/spool/qmaster" init
  "$lib/spooldefaults" configuration "$SGE_ROOT/configuration"
  "$lib/spooldefaults" complexes "$SGE_ROOT/util/resources/centry"
  "$lib/spooldefaults" usersets "$SGE_ROOT/util/resources/usersets"
  "$lib/spooldefaults" managers "$(id -un)"
}

start_master() {
  sge_qmaster >>"$SGE_ROOT/log" 2>&1
  wait_until 10 qconf -sss || fail "sge_qmaster does not start"
}

is_node_up() { [[ $(qstat -f) == *all.q@localhost*" lx-amd64 "* && $(qstat -f) != *" au"* ]]; }

start_node() {
  sge_execd >>"$SGE_ROOT/log" 2>&1
  wait_until 20 is_node_up || fail "sge_execd does not start: $(qstat -f)"
}

# make_queue: one queue of one host. Clusters share /tmp, and each removes the temporary directory of a job by
# its number when the job ends.
make_queue() {
  qconf -as localhost
  qconf -ssconf | sed -E 's/^(schedule_interval ).*/\1 0:0:1/; s/^(load_formula ).*/\1 slots/
    s/^(job_load_adjustments ).*/\1 none/; s/^(flush_(submit|finish)_sec ).*/\1 1/' >"$SGE_ROOT/scheduler"
  qconf -Msconf "$SGE_ROOT/scheduler"
  qconf -sq | sed -E "s/^(qname ).*/\1 all.q/; s/^(hostlist ).*/\1 localhost/; s/^(slots ).*/\1 $slots/
    s@^(tmpdir ).*@\1 $TMPDIR@; s/^((load_thresholds|pe_list) ).*/\1 NONE/" >"$SGE_ROOT/queue"
  qconf -Aq "$SGE_ROOT/queue"
}

start() {
  mount_packages "$packages"
  ip link set lo up
  hostname localhost
  # A file system in memory, which is gone with the namespace.
  mkdir -p "$SGE_ROOT"
  mount -t tmpfs tmpfs "$SGE_ROOT"
  mkdir "$TMPDIR"
  make_root >>"$SGE_ROOT/log" 2>&1 || fail "cannot prepare $SGE_ROOT"
  start_master
  make_queue >>"$SGE_ROOT/log" 2>&1 || fail "cannot make a queue"
  start_node
}

# Process 1 of the namespace, which waits for orphans. Its end ends all other processes.
inside() {
  export SGE_ROOT=$packages/cell TMPDIR=$packages/cell/tmp SGE_CELL=default SGE_QMASTER_PORT=6444 SGE_EXECD_PORT=6445
  export PATH=/usr/lib/gridengine:$PATH
  export TESSERA_GRID_ENGINE_CLUSTER=$self
  start
  "$@"
}

# processes_of_node: prints daemons of the node, and the processes of jobs.
processes_of_node() {
  {
    grep -lxE 'sge_execd|sge_shepherd' /proc/[0-9]*/comm || true
    grep -lzE '^SGE_TASK_ID=' /proc/[0-9]*/environ || true
  } 2>/dev/null | cut -d / -f 3 | sort -u
}

kill_node() {
  local processes
  for _ in {1..100}; do
    processes=$(processes_of_node)
    [[ -n $processes ]] || return 0
    # shellcheck disable=SC2086
    kill -KILL $processes 2>/dev/null || true
  done
  fail "the processes of the node do not end"
}

# kill_daemon <name>
kill_daemon() {
  local process
  process=$(grep -lx "$1" /proc/[0-9]*/comm | cut -d / -f 3)
  kill -KILL "$process"
}

# restart_master: also the daemon of the node, which would wait for half a minute. Jobs go on.
restart_master() {
  kill_daemon sge_execd
  start_master
  start_node
}

# mount_packages <packages>: as if they were installed, in this namespace only.
mount_packages() { mount -t overlay overlay -o "lowerdir=$1/usr:/usr" /usr; }

# check <packages>: namespaces, a file system over /usr, and a network.
check() {
  [[ -x $1/usr/lib/gridengine/sge_qmaster ]] &&
    unshare --net --uts --pid --fork --kill-child --mount-proc "$self" check-inside "$1" >/dev/null 2>&1
}

action=${1:-}
shift || true
case $action in
run)
  packages=$(realpath "$1")
  shift
  exec unshare --net --uts --pid --fork --kill-child --mount-proc "$self" inside "$packages" "$@"
  ;;
inside)
  packages=$1
  shift
  inside "$@"
  ;;
check) check "$1" ;;
check-inside) mount_packages "$1" && ip link set lo up ;;
kill-node) kill_node ;;
start-node) start_node ;;
kill-master) kill_daemon sge_qmaster ;;
start-master) restart_master ;;
*)
  sed -n '/^# usage/,/start-master$/s/^# \?//p' "$self" >&2
  exit 2
  ;;
esac
