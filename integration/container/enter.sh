#!/bin/bash
# enter.sh ROOT DATA USER NAME=VALUE... -- WORD...: runs the words in ROOT as USER (uid:gid), read-only but for /tmp (in memory) and /data
# (DATA), as process 1, without core dumps. Whoever calls it has made the namespaces (container.mjs). The base is this machine's /usr,
# where that of the image is Debian's slim one.
set -eu
root=$1 data=$2 user=$3
shift 3
environment=()
while [[ $1 != -- ]]; do
  environment+=("$1")
  shift
done
shift
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind "$data" "$root/data"
mount --bind /usr "$root/usr"
mount -o remount,bind,ro "$root/usr"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero urandom random; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
mount -o remount,bind,ro "$root"
ip link set lo up
ulimit -c 0
exec chroot --userspec="$user" --groups= "$root" /usr/bin/env -i "${environment[@]}" "$@"
