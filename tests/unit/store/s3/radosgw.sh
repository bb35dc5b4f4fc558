#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs Ceph's server of S3 on loopback until its standard input ends: a monitor, an object store in
# memory, and the gateway. Prints "ready" once it answers.
#
# usage: radosgw.sh <folder> <port>   the next port is the monitor's
set -eu
root=$1
port=$2
export CEPH_CONF=$root/ceph.conf
mkdir -p "$root"/{mon,osd,log,run,rgw}

cat >"$CEPH_CONF" <<END
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = v2:127.0.0.1:$((port + 1))
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
mon allow pool size one = true
osd crush chooseleaf type = 0
log file = $root/log/\$name.log
admin socket =
run dir = $root/run
mon data = $root/mon
osd data = $root/osd
rgw data = $root/rgw
mon data avail warn = 0
mon data avail crit = 0
paxos propose interval = 0.05
paxos min wait = 0.01
osd objectstore = memstore
memstore device bytes = 1073741824
rgw frontends = beast endpoint=127.0.0.1:$port tcp_nodelay=1
rgw enable usage log = false
[client.rgw.a]
ms mon client mode = crc
auth client required = none
END

processes=()
# The folder is removed next.
trap 'kill -9 "${processes[@]}" 2>/dev/null || true; wait' EXIT
monmaptool --create --addv a "[v2:127.0.0.1:$((port + 1))]" "$root/monmap" --fsid \
  "$(sed -n 's/^fsid = //p' "$CEPH_CONF")" >/dev/null
ceph-mon -i a --mkfs --monmap "$root/monmap"
ceph-mon -f -i a >"$root/log/mon.out" 2>&1 </dev/null &
processes+=($!)
osd=$(cat /proc/sys/kernel/random/uuid)
id=$(timeout 240 ceph osd new "$osd" </dev/null)
ceph-osd -i "$id" --mkfs --osd-uuid "$osd" >"$root/log/osd.mkfs" 2>&1 </dev/null
ceph-osd -f -i "$id" >"$root/log/osd.out" 2>&1 </dev/null &
processes+=($!)
radosgw -f -n client.rgw.a >"$root/log/rgw.out" 2>&1 </dev/null &
processes+=($!)
end=$((SECONDS + 240))
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
  if ((SECONDS >= end)); then
    echo "radosgw.sh: the gateway does not answer" >&2
    exit 1
  fi
  sleep 0.1
done
timeout 240 radosgw-admin user create --uid=t --display-name=t --access-key=AKIDTEST \
  --secret=SECRETTEST >"$root/log/user.out" 2>&1 </dev/null
echo ready
cat >/dev/null
