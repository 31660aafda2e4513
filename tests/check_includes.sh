#!/bin/bash
# Dependence has one direction: each folder includes only what stands below it.
#
#     cli -> io, plot, run -> api -> transform -> algo -> ops <= cpu, cuda -> math, base
#
# Backends know ops, never algo; only transform and api know the backends.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1

declare -A below=(
	[base]="base math"
	[math]="math base"
	[ops]="ops math base"
	[cpu]="cpu ops math base"
	[cuda]="cuda ops math base"
	[algo]="algo ops math base"
	[transform]="transform algo cpu ops math base"
	[api]="api transform algo ops math base"
	[run]="run api transform ops math base"
	[io]="io base"
	[decode]="decode io base"
	[plot]="plot base"
	[cli]="io plot run base"
)

bad=0
check()
{
	local layer=$1 file=$2 line target
	while read -r line; do
		target=${line%%/*}
		[ "$target" = wavesift ] && continue
		# A name without a folder lies beside the file.
		[ "$target" = "$line" ] && continue
		# What is no folder of src is a library's.
		[ -d "src/$target" ] || continue
		case " ${below[$layer]} " in
		*" $target "*) ;;
		*)
			echo "$file includes $line: $layer must not depend on $target"
			bad=1
			;;
		esac
	done < <(sed -n 's/^[ \t]*#[ \t]*include[ \t]*["<]\([^">]*\)[">].*/\1/p' "$file")
}

n=0
for layer in "${!below[@]}"; do
	folder=src/$layer
	[ "$layer" = cli ] && folder=cli
	while read -r file; do
		check "$layer" "$file"
		n=$((n + 1))
	done < <(find "$folder" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh')
done
for folder in src/*/; do
	folder=$(basename "$folder")
	if [ -z "${below[$folder]+known}" ]; then
		echo "src/$folder has no place in tests/check_includes.sh"
		bad=1
	fi
done
echo "$n files"
[ "$n" -gt 0 ] && exit $bad
