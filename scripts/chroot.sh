# chroot.sh - to be sourced: clean chroots of Debian 12, for scripts/deb.sh and scripts/try_bare.sh.
#
#     MIRROR   default http://deb.debian.org/debian
#     ARCH     Debian's name of another processor, arm64: by qemu (qemu-user-static)
#     WORK     the folder that holds them, and what compilers made before (ccache); default build-deb
#
# Needs root and debootstrap.  Mounts are of a namespace of each command alone, so folders of chroots
# never hold a mount when they are removed.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=${WORK:-$root/build-deb}
suite=bookworm
mirror=${MIRROR:-http://deb.debian.org/debian}
PATH=$PATH:/usr/sbin
[ "$(id -u)" = 0 ] || { echo "${0##*/}: chroots are made by root: run it with sudo" >&2; exit 1; }
for tool in debootstrap unshare git; do
	command -v $tool >/dev/null || {
		echo "${0##*/}: no $tool: apt-get install debootstrap util-linux git" >&2
		exit 1
	}
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
mkdir -p "$work"

# The kernel is told of qemu, as Debian's package does where systemd runs.
known=/proc/sys/fs/binfmt_misc qemu=qemu-aarch64
if [ "${ARCH:-}" = arm64 ] && [ "$(uname -m)" != aarch64 ] && [ ! -e $known/$qemu ]; then
	[ -e /usr/lib/binfmt.d/$qemu.conf ] || {
		echo "${0##*/}: no qemu for arm64: apt-get install qemu-user-static" >&2
		exit 1
	}
	[ -e $known/register ] || mount -t binfmt_misc binfmt_misc $known
	cat /usr/lib/binfmt.d/$qemu.conf >$known/register
fi

# inside BOX COMMAND..: as root of the folder BOX, with /dev and /proc.
inside()
{
	unshare --mount --pid --fork --kill-child sh -c '
		mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' \
		"$1" /usr/bin/env -i PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive CCACHE_DIR=/var/cache/ccache \
		SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" ${CCACHE_DISABLE:+CCACHE_DISABLE=1} \
		${PIP_CERT:+PIP_CERT=/etc/host.crt} ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "${@:2}"
}

# bare BOX: a Debian of nothing but its base, with the network and the certificates as here.
bare()
{
	local base=$work/bare${ARCH:+-$ARCH}
	if [ ! -e "$base.made" ]; then
		rm -rf --one-file-system "$base"
		debootstrap ${ARCH:+--arch=$ARCH} --variant=minbase $suite "$base" "$mirror" >"$work/debootstrap.log"
		cp /etc/resolv.conf "$base/etc/resolv.conf"
		[ -z "${PIP_CERT:-}" ] || cp "$PIP_CERT" "$base/etc/host.crt"
		apt-config dump | grep -E '^Acquire::(https?|Check)' \
			>"$base/etc/apt/apt.conf.d/10host" || true
		echo force-unsafe-io >"$base/etc/dpkg/dpkg.cfg.d/quick"
		printf 'deb %s %s main\n' "$mirror" $suite "$mirror" $suite-updates \
			"${mirror%/debian}/debian-security" $suite-security >"$base/etc/apt/sources.list"
		inside "$base" apt-get -qq update
		touch "$base.made"
	fi
	rm -rf --one-file-system "$1"
	cp -a --reflink=auto "$base" "$1"
}

# put SCRIPT LOG BOX: runs SCRIPT, which lies in /root of BOX, there; its output is LOG.
put()
{
	inside "$3" sh "/root/$1" >"$2" 2>&1 || {
		tail -40 "$2"
		echo "${0##*/}: it failed; all of it: $2" >&2
		exit 1
	}
}

# README's lines of the Python package, as a script.
lines() { sed -n '/^```python$/,/^```$/p' "$root/bindings/python/README.md" | grep -v '^```'; }
