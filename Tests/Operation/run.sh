#!/bin/sh
# Tests what an operator installs: the alert rules, and the program under its unit's filter of system calls.
# Tests/Operation/run.sh PROGRAM. Needs Debian's python3-seccomp and systemd; promtool is taken out of Debian's package
# of Prometheus without installing that.
set -eu
cd "$(dirname "$0")/../.."
program=$1
promtool=$(command -v promtool || true)
if [ -z "$promtool" ]; then
  folder=.build/prometheus
  if [ ! -x "$folder/usr/bin/promtool" ]; then
    mkdir -p "$folder"
    (cd "$folder" && apt-get download -qq prometheus >/dev/null 2>&1 && dpkg -x prometheus_*.deb . && rm prometheus_*.deb) || true
  fi
  promtool=$folder/usr/bin/promtool
fi
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
status=0
/usr/bin/python3 Tests/Operation/sandbox.py "$program" || status=$?
[ "$status" = 0 ] || [ "$status" = 77 ]
