#!/bin/sh
# gallery.sh - runs the commands of docs/gallery.md, and lists the pictures that they make.
#
#     scripts/gallery.sh PROGRAM FOLDER
#
# The commands are the indented lines that begin with "wavesift"; a backslash continues one.  They
# run in FOLDER, which is made, with PROGRAM in the place of wavesift; their inputs are
# examples/data of this repository.  Prints each command before it runs.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2/images/gallery"
ln -sfn "$root/examples" "$2/examples"
cd "$2"
sed -e ':a' -e '/\\$/N; s/\\\n[ 	]*//; ta' "$root/docs/gallery.md" |
	sed -n 's/^    wavesift / /p' >commands
while read -r command; do
	echo "wavesift $command"
	eval "\"$program\" $command --overwrite -q" </dev/null
done <commands
rm commands
