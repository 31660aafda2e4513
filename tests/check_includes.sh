#!/bin/bash
# Dependence has one direction: each folder includes, and calls, only what stands below it.
#
#     cli -> io, plot, run -> api -> transform -> algo -> ops <= cpu, cuda -> math, base
#
# Backends know ops, never algo; only transform, api and what draws know them.
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
	[api]="api transform algo cpu ops math base"
	[run]="run api transform ops math base"
	[io]="io math base"
	[mpi]="mpi"
	[decode]="decode io base"
	[plot]="plot cpu ops math base"
	[cli]="io plot run mpi base"
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

# Calls: a public header declares functions of several folders, so includes do not show them all.
# The kernels of the CPU are found by name, through ops (wsi_ops_find).
objects=${WAVESIFT_BUILD:-$root/build}/CMakeFiles/core.dir/src
if [ -d "$objects" ]; then
	{
		for layer in "${!below[@]}"; do
			echo "$layer may $layer ${below[$layer]}"
		done
		# Of sources that are gone objects may lie there still.
		(cd "$objects" && find . -name '*.o' | while read -r object; do
			[ -e "$root/src/${object%.o}" ] && nm -A "$object"
		done) |
			sed -nE 's#^\./([a-z]+)/[^:]*:[0-9a-f ]* ([A-Z]) (wsi?_[a-z0-9_]+)$#\1 \2 \3#p'
	} | awk '
		$2 == "may" { for (i = 3; i <= NF; i++) may[$1, $i] = 1; next }
		$2 == "U" { calls[$1 " " $3] = 1; next }
		{ home[$3] = $1 }
		END {
			home["wsi_ops_find"] = "ops"
			for (call in calls) {
				split(call, c, " ")
				n++
				if (!(c[2] in home) || (c[1], home[c[2]]) in may)
					continue
				print "src/" c[1] " calls " c[2] " of " home[c[2]] ", above it"
				bad = 1
			}
			print n " calls"
			exit bad || n == 0
		}' || bad=1
fi
[ "$n" -gt 0 ] && exit $bad
