#!/usr/bin/env bash
# Builds the API reference: docs/api/build.sh OUTPUT-FOLDER. A warning of DocC, such as a link that leads nowhere, fails.
# With FENCEPOST_ONLY (see Package.swift) it covers those modules only.
set -euo pipefail
cd "$(dirname "$0")/../.."
output=$1
swift=${SWIFT:-swift}
work=.build/for-docs

# A build of its own: the compiler writes a module's symbols when it compiles the module, and removes none. The symbols of
# modules that no longer exist are left out below.
mkdir -p "$work/symbols"
"$swift" build --scratch-path "$work/build" --explicit-target-dependency-import-check error \
  -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$PWD/$work/symbols"

rm -rf "$output" "$work/ours" "$work/Fencepost.docc"
mkdir -p "$work/ours"
cp -r docs/api/Fencepost.docc "$work/"
for page in "$work"/Fencepost.docc/Modules/*.md; do
  module=$(basename "$page" .md)
  if [ -d "Sources/$module" ] && [ -f "$work/symbols/$module.symbols.json" ]; then
    python3 docs/api/own_symbols.py "$module" "$work/symbols" "$work/ours"
  elif [ -z "${FENCEPOST_ONLY:-}" ]; then
    echo "docs/api/Fencepost.docc/Modules/$module.md: there is no such module with public symbols" >&2
    exit 1
  else
    rm "$page"
  fi
done

# A comment documents the parameters that are not obvious, so DocC must not ask for all of them.
docc convert "$work/Fencepost.docc" --additional-symbol-graph-dir "$work/ours" --warnings-as-errors \
  --disable-parameters-and-returns-validation \
  --fallback-display-name Fencepost --fallback-bundle-identifier fencepost --output-dir "$output"
echo "The reference is in $output. To read it: docc preview docs/api/Fencepost.docc --additional-symbol-graph-dir $work/ours"
