#!/bin/sh
# gallery.sh - runs the commands of docs/gallery.md, and lists the pictures that they make.
#
#     scripts/gallery.sh PROGRAM FOLDER
#
# The commands are the indented lines that begin with "wavesift"; a backslash continues one.  They
# run in FOLDER, which is made, with PROGRAM in the place of wavesift; their inputs are
# examples/data of this repository, and EEGLAB's sample recording, which is looked for in
# WAVESIFT_DATA: without it its commands are left out.  Prints each command before it runs.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2/images/gallery"
ln -sfn "$root/examples" "$2/examples"
data=${WAVESIFT_DATA:-$root/../shared/data}/eeg/eeglab
cd "$2"
[ ! -e "$data/eeglab_data.set" ] || cp -f "$data"/eeglab_data.* .
sed -e ':a' -e '/\\$/N; s/\\\n[ 	]*//; ta' "$root/docs/gallery.md" |
	sed -n 's/^    wavesift / /p' >commands
while read -r command; do
	case $command in *eeglab_data.set*)
		[ -e eeglab_data.set ] || { echo "left out: wavesift $command"; continue; } ;;
	esac
	echo "wavesift $command"
	eval "\"$program\" $command --overwrite -q" </dev/null
done <commands
rm commands
