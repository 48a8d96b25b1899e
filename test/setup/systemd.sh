# Starts systemd as process 1 of new namespaces, with deploy/millbook.service and no other service. Only these namespaces see
# the user millbook, /opt/millbook and /etc/millbook/service.env; nothing outside WORK is written to.
#   unshare --fork --pid --mount --uts --ipc --cgroup --mount-proc sh systemd.sh WORK PROJECT NODE
set -e
work=$1 project=$2 node=$3
mount --make-rprivate /
mkdir "$work/units" "$work/overlay"
cp "$project/deploy/millbook.service" "$work/units/"
# The program of this Node may be anywhere, and there is no journal.
mkdir "$work/units/millbook.service.d"
cat > "$work/units/millbook.service.d/here.conf" <<END
[Service]
ExecStart=
ExecStart=/opt/node dist/cli.js serve
StandardError=append:$work/log
END
for target in sysinit basic shutdown network-online multi-user; do
  printf '[Unit]\nDefaultDependencies=no\n' > "$work/units/$target.target"
done
mount -t tmpfs tmpfs "$work/overlay"
mkdir "$work/overlay/changed" "$work/overlay/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$work/overlay/changed,workdir=$work/overlay/work" /etc
echo 'millbook:x:64711:64711::/var/lib/millbook:/usr/sbin/nologin' >> /etc/passwd
echo 'millbook:x:64711:' >> /etc/group
mkdir -p /etc/millbook
install -m 600 "$work/service.env" /etc/millbook/service.env
mount -t tmpfs tmpfs /opt
mkdir /opt/millbook
touch /opt/node
mount --bind -o ro "$project" /opt/millbook
mount --bind -o ro "$node" /opt/node
mount -t tmpfs tmpfs /var/lib
mount -t tmpfs tmpfs /run
umount -l /sys/fs/cgroup || true
mount -t cgroup2 cgroup2 /sys/fs/cgroup
export container=unshare SYSTEMD_UNIT_PATH="$work/units"
exec /lib/systemd/systemd --system --unit=multi-user.target --show-status=0
