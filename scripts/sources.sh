# sources.sh - to be sourced: sources of Debian's packages, for scripts/fuzz_libraries.sh and
# scripts/cli_libraries.sh.

# sources PREFIX RELEASE PACKAGE..: into PREFIX/src/PACKAGE, as apt-get source has them, with Debian's
# patches; what is there already is not fetched.  Lists are fetched into PREFIX/apt: the system's stay
# as they are.  Of a package whose newest version a mirror lacks the one before is taken, else
# the tar archive alone, and either is said.
sources()
{
	local apt=$1/apt src=$1/src suite package version
	mkdir -p "$src" "$apt/lists/partial" "$apt/cache/archives/partial"
	for suite in "debian $2" "debian $2-updates" "debian-security $2-security"; do
		echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
			"http://deb.debian.org/$suite main"
	done >"$apt/sources.list"
	local own=(-q -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache"
		-o "APT::Sandbox::User=$(id -un)")
	local listed=false
	for package in "${@:3}"; do
		[ ! -e "$src/$package/.made" ] || continue
		$listed || apt-get "${own[@]}" update
		listed=true
		rm -rf "$src/$package"
		for version in $(apt-cache "${own[@]}" showsrc "$package" | sed -n 's/^Version: //p' |
			sort -urV) tar; do
			mkdir -p "$src/$package"
			fetch "$src/$package" "$package" "$version" && break
			echo "sources: NOT THERE: $package $version"
			rm -rf "$src/$package"
		done
		touch "$src/$package/.made"
	done
}

# fetch FOLDER PACKAGE VERSION: of sources(); VERSION tar: the archive alone.
fetch()
(
	cd "$1"
	if [ "$3" = tar ]; then
		apt-get "${own[@]}" --tar-only --download-only source "$2" || exit 1
		tar -xf ./*.orig.tar.* --strip-components=1
	else
		apt-get "${own[@]}" source "$2=$3" || exit 1
		# The one folder that it made.
		mv ./*/ unpacked
		find unpacked -mindepth 1 -maxdepth 1 -exec mv -t . {} +
		rmdir unpacked
	fi
	echo "$3" >.version
)
