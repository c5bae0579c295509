#!/usr/bin/env bash
# Runs a command on a machine without the C libraries that the service needs: Tests/Package/clean.sh COMMAND...
#
# The files of their Debian packages are removed from an overlay of /usr, which only the command sees. It needs root, or user
# namespaces with overlays; where neither is allowed, it says so and ends with status 77.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || { echo 'Usage: Tests/Package/clean.sh COMMAND...' >&2; exit 64; }

# Of each library of the makefile's list also what is not under development, but for what Swift itself or git loads.
packages=$(make -s -f Makefile -f - print <<'MAKE'
print: ; @echo $(DEBIAN_PACKAGES)
MAKE
)
packages="$packages libsqlite3-dev libgeos-c1v5 libgeos3.11.1 libproj25 libsimdjson14 libmosquitto1 libzip4"

folder=$(mktemp -d)
trap 'rm -rf "$folder" 2>/dev/null || true' EXIT
mkdir "$folder/upper" "$folder/work"
for package in $packages; do
  [ "$package" = pkg-config ] || dpkg -L "$package" 2>/dev/null || true
done | grep '^/usr/' | sort -u >"$folder/files"

namespace=(unshare --mount)
[ "$(id -u)" = 0 ] || namespace=(unshare --user --map-root-user --mount)
hide='
  mount -t overlay overlay -o "lowerdir=/usr,upperdir=$0/upper,workdir=$0/work" /usr || exit 77
  while read -r file; do [ -d "$file" ] && [ ! -L "$file" ] || rm -f "$file"; done <"$0/files"
  ! ls /usr/include/simdjson.h /usr/include/geos_c.h /usr/include/geodesic.h >/dev/null 2>&1 || exit 70
  exec "$@"'
# The working directory may itself be below /usr; enter it again.
status=0
"${namespace[@]}" bash -c "$hide" "$folder" "$@" || status=$?
[ $status != 77 ] || echo 'Skipped: overlays are not allowed here, so no C library can be hidden.' >&2
exit $status
