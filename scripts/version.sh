#!/bin/sh
# version.sh: the version of this tree, whose one place is the public header.
sed -n 's/^#define WS_VERSION_\(MAJOR\|MINOR\|PATCH\)[^0-9]*\([0-9]*\).*/\2/p' \
	"$(dirname "$0")/../include/wavesift/wavesift.h" | paste -sd.
