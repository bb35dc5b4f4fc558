#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a Slurm of four nodes on this host, with all that it has in one directory. It needs Debian's
# packages slurmctld, slurmd, slurm-client, slurm-wlm-basic-plugins and munge, and neither systemd
# nor root nor a host name that resolves. Several may run side by side, each in its directory.
#
# usage: cluster.sh start <directory>              a path of at most 60 characters: sockets are in it
#        cluster.sh stop <directory>               ends everything, also the jobs, and removes it
#        cluster.sh status <directory>             prints nodes and jobs; fails if a node is not up
#        cluster.sh kill-node <directory> <node>   as if node<node>'s host had lost its power
#        cluster.sh start-node <directory> <node>
#        cluster.sh stop-controller <directory>
#        cluster.sh start-controller <directory>
#
# Its clients need the environment variable SLURM_CONF=<directory>/slurm.conf.
set -euo pipefail

nodes=(1 2 3 4)
action=${1:-}
dir=${2:-}
node=${3:-}
if [[ -z $dir ]]; then
  sed -n '/^# usage/,/^$/s/^# \?//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
[[ $dir == /* ]] || dir=$PWD/$dir
PATH=$PATH:/usr/sbin:/sbin
export SLURM_CONF=$dir/slurm.conf

# wait_until <seconds> <command>...: fails if the command has not succeeded by then.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.05
  done
}

# fail <reason>: prints the last words of the daemons, ends what has started, and exits.
fail() {
  echo "cluster.sh: $1" >&2
  for log in "$dir"/log/*.log; do
    [[ -s $log ]] || continue
    echo "--- the end of $log" >&2
    tail -n 15 "$log" >&2
  done
  [[ $action != start ]] || stop
  exit 1
}

# free_ports <count>: prints the first of so many neighbouring ports without a listener.
free_ports() {
  local first port
  for _ in {1..50}; do
    first=$((20000 + RANDOM % 1200 * 10))
    for ((port = first; port < first + $1; ++port)); do
      # shellcheck disable=SC2188
      ! (<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || continue 2
    done
    echo "$first"
    return
  done
  return 1
}

configure() {
  local user host first listen
  user=$(id -un)
  host=$(uname -n)
  host=${host%%.*}
  # Daemons that are to listen on one address look for their host's; else they listen on all.
  listen=NoInAddrAny,NoCtldInAddrAny
  getent hosts "$host" >/dev/null || listen=
  first=$(free_ports 5) || fail "found no free ports"
  mkdir -p "$dir"/{log,pid,state,spool,munge}
  # munged refuses a socket that other users cannot reach, and a key that they can read.
  chmod 0755 "$dir"
  chmod 0711 "$dir/munge"
  (umask 0377 && head -c 1024 /dev/urandom >"$dir/munge/key")
  cat >"$dir/slurm.conf" <<END
ClusterName=tessera
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$first
SlurmUser=$user
SlurmdUser=$user
# The default of cred_expire makes a job that is requeued wait for two minutes.
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket,cred_expire=5
CredType=cred/munge
${listen:+CommunicationParameters=$listen}
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/pid/slurmctld
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdSpoolDir=$dir/spool/%n
SlurmdPidFile=$dir/pid/%n
SlurmdLogFile=$dir/log/%n.log
SlurmdTimeout=6
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
# Without one, a job that waits for another job's end starts with the scheduler's next round.
Epilog=$(type -P true)
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,sched_min_interval=1,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/log/jobs
MaxArraySize=61
NodeName=node[1-${#nodes[@]}] NodeHostname=$host NodeAddr=127.0.0.1 \
Port=[$((first + 1))-$((first + ${#nodes[@]}))] CPUs=2 RealMemory=8000
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

# is_running <process>: a zombie, which stays if no process waits for orphans, is not.
is_running() { grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status"; }
are_gone() {
  local pid
  for pid in "$@"; do ! is_running "$pid" || return 1; done
}

# started <daemon>: whether it has written which process it is.
started() { [[ -s $dir/pid/$1 ]] && is_running "$(<"$dir/pid/$1")"; }

start_munged() {
  munged --key-file "$dir/munge/key" --socket "$dir/munge/socket" --pid-file "$dir/pid/munged" \
    --log-file "$dir/log/munged.log" --seed-file "$dir/munge/seed" --num-threads 2 \
    >>"$dir/log/start.log" 2>&1 || fail "munged does not start"
}

start_controller() {
  # Directory state/ is empty at the first start, of which slurmctld wants to be told.
  local options=()
  [[ -e $dir/state/clustername ]] || options=(-i -c)
  slurmctld "${options[@]}" >>"$dir/log/start.log" 2>&1 || fail "slurmctld does not start"
  wait_until 20 started slurmctld || fail "slurmctld does not start"
}

start_node() {
  mkdir -p "$dir/spool/node$1"
  slurmd -N "node$1" >>"$dir/log/start.log" 2>&1 || fail "slurmd of node$1 does not start"
  wait_until 20 started "node$1" || fail "slurmd of node$1 does not start"
}

are_nodes_up() {
  local states
  states=$(sinfo -h -N -o %t 2>/dev/null) &&
    [[ $(grep -cE '^(idle|mix|alloc)$' <<<"$states") -eq ${#nodes[@]} ]]
}

# processes_of <nodes>: prints slurmd and the watchers of jobs, which have their node's log open,
# and the processes of jobs, which know cluster and node by their environment.
processes_of() {
  {
    find /proc/[0-9]*/fd -lname "$dir/log/node$1.log" || true
    grep -lzx "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ |
      xargs -r grep -lzx "SLURMD_NODENAME=node$1" || true
  } 2>/dev/null | cut -d / -f 3 | sort -u
}

# kill_processes_of <nodes>: also processes that are made meanwhile.
kill_processes_of() {
  local processes
  for _ in {1..100}; do
    processes=$(processes_of "$1")
    [[ -n $processes ]] || return 0
    # shellcheck disable=SC2086
    kill -KILL $processes 2>/dev/null || true
  done
  return 1
}

# end_daemons <daemon>...: returns once they are gone.
end_daemons() {
  local daemon pids=()
  for daemon in "$@"; do
    if started "$daemon"; then pids+=("$(<"$dir/pid/$daemon")"); fi
  done
  ((${#pids[@]} > 0)) || return 0
  kill "${pids[@]}"
  wait_until 10 are_gone "${pids[@]}" || kill -KILL "${pids[@]}" 2>/dev/null || true
  wait_until 5 are_gone "${pids[@]}"
}

stop() {
  end_daemons slurmctld "${nodes[@]/#/node}"
  kill_processes_of '[0-9]'
  end_daemons munged
  rm -rf "$dir"
}

kill_node() {
  started "node$node" || fail "node$node does not run"
  kill_processes_of "$node"
  rm -f "$dir/pid/node$node"
  # Slurm would take half a minute to see that by itself; longer if the node comes back meanwhile.
  scontrol update NodeName="node$node" State=DOWN Reason=killed
}

start() {
  local daemon
  for daemon in munged slurmctld slurmd sbatch; do
    command -v "$daemon" >/dev/null || {
      echo "cluster.sh: there is no $daemon; cmake/install-dependencies.sh tests installs it" >&2
      exit 1
    }
  done
  [[ ! -e $dir/slurm.conf ]] || stop
  configure
  start_munged
  start_controller
  for node in "${nodes[@]}"; do start_node "$node"; done
  wait_until 30 are_nodes_up || fail "the nodes do not come up: $(sinfo -N -o '%N %t %E' 2>&1)"
}

status() {
  sinfo -N -o '%N %t %E'
  squeue -t all
  are_nodes_up
}

case $action in
start) start ;;
stop) stop ;;
status) status ;;
kill-node) kill_node ;;
start-node) start_node "$node" ;;
stop-controller) end_daemons slurmctld ;;
start-controller) start_controller ;;
*)
  echo "cluster.sh: there is no action \"$action\"" >&2
  exit 2
  ;;
esac
