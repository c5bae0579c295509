#!/bin/sh
# Tests what an operator installs: the alert rules, the files for proxies, containers and Grafana, and the program under
# its unit's filter of system calls.
# Tests/Operation/run.sh PROGRAM. Needs Debian's python3-seccomp, systemd, jq, curl and openssl.
set -eu
cd "$(dirname "$0")/../.."
program=$1
# Takes programs out of Debian's packages without installing these, because they start services: take PROGRAM PACKAGE
take() {
  command -v "$1" && return
  folder=.build/debian/$2
  if [ ! -d "$folder" ]; then
    mkdir -p "$folder.part"
    (cd "$folder.part" && apt-get download -qq "$2" >/dev/null 2>&1 && dpkg -x "$2"_*.deb . && rm "$2"_*.deb) || return 0
    mv "$folder.part" "$folder"
  fi
  find "$PWD/$folder" -path '*bin/*' -name "$1" -type f | head -n 1
}
promtool=$(take promtool prometheus)
if [ -x "$promtool" ]; then
  "$promtool" check rules docs/deploy/alerts.yml >/dev/null
  "$promtool" test rules Tests/Operation/alerts_test.yml >/dev/null || {
    "$promtool" test rules Tests/Operation/alerts_test.yml
    exit 1
  }
  echo 'The alert rules fire when they should, and only then.'
else
  echo 'The alert rules are not tested: promtool cannot be had (apt-get install prometheus).' >&2
fi
PROMTOOL=$promtool CADDY=$(take caddy caddy) NGINX=$(take nginx nginx) python3 Tests/Operation/deploy.py "$program"
status=0
/usr/bin/python3 Tests/Operation/sandbox.py "$program" || status=$?
[ "$status" = 0 ] || [ "$status" = 77 ]
