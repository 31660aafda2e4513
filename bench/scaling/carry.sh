#!/bin/bash
# carry.sh BUILD FOLDER: the program of a build with all that it needs, Open MPI too, in one folder,
# for a machine that has neither; FOLDER/run COMMAND.. runs a command there with it.
#
#     bash bench/scaling/carry.sh build carried
#     carried/run python3 bench/scaling/measure.py carried/bin/wavesift ranks 1 2 4
set -euo pipefail
build=$1 to=$2
mkdir -p "$to/bin" "$to/lib"
for file in wavesift wavesift-decode libwavesift_cuda.so libwavesift_mpi.so same_result; do
	[ ! -e "$build/$file" ] || cp -L "$build/$file" "$to/bin/"
done
# A build has debugging symbols that take more room than all else.
strip -g "$to"/bin/wavesift* "$to"/bin/libwavesift*.so 2>/dev/null || true

# Libraries that files need, but for those of the C library and of the driver.
needs()
{
	ldd "$@" 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u |
		grep -v -E '/(libc|libm|libdl|librt|libpthread|libcuda|ld-linux[^/]*)\.so' || true
}
mpirun=$(readlink -f "$(command -v mpirun)")
plugins=$(dirname "$(find /usr/lib /usr/local/lib -name mca_btl_self.so -print -quit 2>/dev/null)")
[ -d "$plugins" ] || { echo "carry.sh: no plugins of Open MPI" >&2; exit 1; }
cp -L "$mpirun" "$to/bin/mpirun"
cp -L "$(command -v orted)" "$to/bin/"
mkdir -p "$to/lib/plugins" "$to/share" "$to/etc"
# Those of one machine are enough; others bring libraries of networks and batch systems.
for part in "$plugins"/mca_*.so; do
	case $(basename "$part") in
	*ucx* | *ofi* | *psm* | *openib* | *usnic* | *lustre* | *_tm.so | *slurm* | *monitoring* | *grid* | \
		*portals* | *verbs* | *libfabric* | *lsf* | *alps* | *spml* | *scoll* | *sshmem* | *fbtl* | \
		*fs_* | *io_* | *fcoll* | *sharedfp*) ;;
	*) cp -L "$part" "$to/lib/plugins/" ;;
	esac
done
[ ! -d /usr/share/openmpi ] || cp -rL /usr/share/openmpi "$to/share/"
pmix=$(find /usr/lib -type d -path '*pmix2/lib/pmix*' -print -quit 2>/dev/null || true)
[ -z "$pmix" ] || cp -rL "$pmix" "$to/lib/pmix"
needs "$to"/bin/* "$to"/lib/plugins/*.so $(find "$to/lib/pmix" -name '*.so' 2>/dev/null) |
	while read -r library; do cp -L "$library" "$to/lib/"; done

cat >"$to/run" <<'END'
#!/bin/bash
# Runs a command with what is in this folder.
here=$(cd "$(dirname "$0")" && pwd)
export PATH=$here/bin:$PATH LD_LIBRARY_PATH=$here/lib:${LD_LIBRARY_PATH:-}
export OPAL_PREFIX=$here PMIX_PREFIX=$here PMIX_MCA_mca_base_component_path=$here/lib/pmix
export OMPI_MCA_mca_base_component_path=$here/lib/plugins OMPI_MCA_plm=isolated
export OPAL_PKGDATADIR=$here/share/openmpi PMIX_INSTALL_PREFIX=$here
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec "$@"
END
chmod +x "$to/run"
du -sh "$to" | sed 's/\t.*/ in all/'
