#!/usr/bin/env bash
# Packs a built program for Debian 12: Packaging/deb/build.sh PROGRAM FOLDER [VERSION]
# FOLDER gets the .deb and the SBOM. The architecture is that of the machine, and so is that of the program. VERSION is
# that of the program followed by the date and commit, unless it is given. A program that was linked without
# --static-swift-stdlib gets Swift's libraries in /usr/lib/fencepost: for tests, because they need 100 MB.
# FENCEPOST_DEB_LEVEL=1 compresses fast. Needs debhelper, fakeroot, chrpath, dpkg-dev and Python 3.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(realpath "${1:?Which program? Packaging/deb/build.sh PROGRAM FOLDER [VERSION]}")
mkdir -p "${2:?Which folder? Packaging/deb/build.sh PROGRAM FOLDER [VERSION]}"
output=$(realpath "$2")

# The time of the commit instead of the present time: the same sources and program give the same package.
if commit=$(git rev-parse --short HEAD 2>/dev/null); then
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
  suffix=+$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).$commit
else
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date +%s)}
  suffix=
fi
export SOURCE_DATE_EPOCH
version=${3:-$("$program" --version)$suffix}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/fencepost
mkdir -p "$tree/files"
cp -r Packaging/deb/debian "$tree/debian"
install -m 755 "$program" "$tree/files/fencepost"
install -m 644 Packaging/config.json docs/fencepost.1 "$tree/files/"
install -m 644 CHANGELOG.md "$tree/files/"
for shell in bash zsh fish; do
  "$program" --generate-completion-script $shell | sed '1{/^#!/d}' >"$tree/files/completion.$shell"
done

# The unit of the documentation, with the paths and the user of a package.
sed -e '1,/^$/d' -e 's|/usr/local/bin/|/usr/bin/|' \
  -e 's|^DynamicUser=yes|User=fencepost\nGroup=fencepost\nRemoveIPC=yes|' \
  docs/deploy/fencepost.service >"$tree/debian/fencepost.service"

# The notices of the Swift packages, as their licence asks for.
for notice in .build/checkouts/*/NOTICE.txt; do
  [ -e "$notice" ] || continue
  printf '%s\n\n' "$(basename "$(dirname "$notice")")"
  cat "$notice"
done >"$tree/files/NOTICE"
[ -s "$tree/files/NOTICE" ] || {
  echo 'The notices of the Swift packages are missing: run `swift package resolve` first.' >&2
  exit 1
}

# Swift's libraries, when the program needs them.
runtime=$(ldd "$program" | awk '/\/(swift|usr\/lib\/swift)[^ ]*\/linux\/lib/ { print $3 }')
if [ -n "$runtime" ]; then
  echo 'The program is not linked with --static-swift-stdlib: the package gets the libraries of Swift too.' >&2
  mkdir "$tree/files/lib"
  for library in $runtime; do install -m 644 "$library" "$tree/files/lib/"; done
fi

python3 Packaging/sbom.py --program "$program" --resolved Package.resolved --version "$version" \
  --output "$tree/files/sbom.cdx.json"

cat >"$tree/debian/changelog" <<EOF
fencepost ($version-1) bookworm; urgency=medium

  * Packed from the sources; changelog.gz has the changes.

 -- Fencepost maintainers <maintainers@fencepost.invalid>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
EOF

cd "$tree"
root=fakeroot
[ "$(id -u)" != 0 ] || root=env
$root debian/rules binary >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
grep -E 'warning' "$work/log" >&2 || true
mv "$work"/*.deb "$output/"
install -m 644 files/sbom.cdx.json "$output/fencepost.cdx.json"
echo "$output/fencepost_$version-1_$(dpkg --print-architecture).deb"
