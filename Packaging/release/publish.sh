#!/usr/bin/env bash
# Pushes the images and the chart of a release to REGISTRY: Packaging/release/publish.sh VERSION FOLDER
# FOLDER has the archives of all architectures. `fencepost:VERSION` is for all of them; Home Assistant asks for the name of its
# own, `fencepost-addon-aarch64:VERSION`. `skopeo login` and `helm registry login` come before. A version without a suffix is
# `latest` too. REGISTRY_OPTIONS are for skopeo and buildah, such as --tls-verify=false for a registry of this machine. Needs skopeo,
# buildah and, for the chart, helm.
set -euo pipefail
version=${1:?Which version? Packaging/release/publish.sh VERSION FOLDER}
folder=${2:?Which folder? Packaging/release/publish.sh VERSION FOLDER}
registry=${REGISTRY:?REGISTRY is where the images go, as registry.example.org/you}
read -ra options <<<"${REGISTRY_OPTIONS:-}"
chart_options=()
[[ ${REGISTRY_OPTIONS:-} != *--tls-verify=false* ]] || chart_options=(--plain-http)

push_image() {
  local list=fencepost-release-$version archive architecture place tag
  # Of a run that was interrupted.
  buildah manifest rm "$list" >/dev/null 2>&1 || true
  buildah manifest create "$list" >/dev/null
  for archive in "$folder"/fencepost_"${version}"_*.oci.tar; do
    architecture=$(basename "${archive##*_}" .oci.tar)
    place=$registry/fencepost:$version-$architecture
    skopeo copy --quiet "${options[@]/#--tls/--dest-tls}" "oci-archive:$archive" "docker://$place"
    buildah manifest add "${options[@]}" "$list" "docker://$place" >/dev/null
  done
  for tag in "$version" latest; do
    [[ $tag = "$version" || $version != *-* ]] || continue
    buildah manifest push --quiet --all "${options[@]}" "$list" "docker://$registry/fencepost:$tag"
    echo "Pushed $registry/fencepost:$tag."
  done
  buildah manifest rm "$list" >/dev/null
}

push_addons() {
  local archive architecture place
  for archive in "$folder"/fencepost-addon_"${version}"_*.oci.tar; do
    architecture=$(basename "${archive##*_}" .oci.tar)
    [ "$architecture" != arm64 ] || architecture=aarch64
    place=$registry/fencepost-addon-$architecture:$version
    skopeo copy --quiet "${options[@]/#--tls/--dest-tls}" "oci-archive:$archive" "docker://$place"
    echo "Pushed $place."
  done
}

push_image
push_addons
if command -v helm >/dev/null; then
  helm push "${chart_options[@]}" "$folder/fencepost-$version.tgz" "oci://$registry/charts"
else
  echo 'The chart is not pushed: there is no helm here.' >&2
fi
