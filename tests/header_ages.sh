#!/bin/bash
# header_ages.sh OLDER NEWER: copies of the public headers as an older and a newer version would
# have them.  The older lacks fields, an array, an option and an axis of today's; the newer has more.
# The rules must meet what they change, so that they are not forgotten.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

# Changes FILE by a program of sed; it must differ then.
change()
{
	sed -E -i "$2" "$1.new"
	! cmp -s "$1.new" "$1.before" || { echo "header_ages.sh: $1: nothing to change: $2" >&2; exit 1; }
	cp "$1.new" "$1.before"
}

begin()
{
	rm -rf "$1"
	mkdir -p "$1/wavesift"
	cp "$root"/include/wavesift/*.h "$1/wavesift"
	cd "$1/wavesift"
	for file in *.h; do
		cp "$file" "$file.new"
		cp "$file" "$file.before"
	done
}

# What is as before stays, so that nothing is compiled anew.
end()
{
	for file in *.h; do
		mv "$file.new" "$file"
		rm "$file.before"
	done
}

begin "$1"
change emd.h '/^\tint noise_channels;/,/^\} ws_emd_opts;/{/^\} ws_emd_opts;/!d}'
change emd.h '/^\tWS_EMD_CAPPED,/,/^\tWS_EMD_ARRAYS/{/^\tWS_EMD_ARRAYS/!d}'
change hht.h 's/char emd_room\[368\]/char emd_room[384]/'
change wavesift.h '/^\tWS_AXIS_CELL /d'
change wavesift.h '/^\tsize_t before, after;/,/^\} ws_shape;/{/^\} ws_shape;/!d}'
change wavesift.h '/^\tvoid \*cuda_stream;/,/^\} ws_io;/{/^\} ws_io;/!d}'
change wavesift.h '/^\t\/\* Which block is begun next/,/^\} ws_stream;/{/^\} ws_stream;/!d}'
change wavesift.h '/^\tconst char \*backend;/,/^\} ws_ctx_opts;/{/^\} ws_ctx_opts;/!d}'
end

begin "$2"
for file in conv.h cwt.h emd.h hht.h wavesift.h; do
	# A field more in every struct that begins with its size.
	change $file '/^typedef struct ws_[a-z_]+ \{/,/^\} ws_[a-z_]+;/{
		/^typedef struct/{N;/\n\tsize_t size;/!b;:more
		N;/\n\} ws_[a-z_]+;$/!bmore;s/(\n\} ws_[a-z_]+;)$/\n\tuint64_t later;\1/}}'
done
change emd.h 's/^\tWS_EMD_ARRAYS$/\tWS_EMD_LATER,\n&/'
change hht.h 's/char emd_room\[368\]/char emd_room[360]/'
change wavesift.h 's/^\tWS_AXIS_CELL .*/\tWS_AXIS_LATER = 10,\n&/'
end
