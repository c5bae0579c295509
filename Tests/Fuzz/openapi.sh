#!/bin/sh
# Sends what /openapi.json allows, and what it does not, to a running service: Tests/Fuzz/openapi.sh [EXAMPLES] [SEED]
# Fails on a 5xx, and on a status, a type, a header or a body that the description does not name.
# FENCEPOST names the program to run; else it is built. CHECKS and LOG may be set for a closer look.
set -eu
cd "$(dirname "$0")/../.."

examples=${1:-25}
seed=${2:-1}
checks=${CHECKS:-not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance,unsupported_method}
tools=.build/schemathesis
version=4.32.5

if [ -z "${FENCEPOST:-}" ]; then
  ${SWIFT:-swift} build --product fencepost >&2
  FENCEPOST=$(${SWIFT:-swift} build --show-bin-path)/fencepost
fi
if ! "$tools/bin/schemathesis" --version 2>/dev/null | grep -q "$version"; then
  rm -rf "$tools"
  mkdir -p .build
  python3 -m venv "$tools" || {
    echo 'The fuzzer needs Python with venv: apt-get install python3-venv' >&2
    exit 69
  }
  "$tools/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version" >&2
fi

folder=$(mktemp -d)
service=
finish() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  [ -z "$service" ] || wait "$service" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Port 0 is a free one; the service says which.
"$FENCEPOST" serve --port 0 --storage "$folder/fuzz.sqlite" >"$folder/out" 2>"$folder/log" &
service=$!
tries=0
while ! { grep -q '^fp_' "$folder/out" && grep -q '"msg":"listening"' "$folder/log"; }; do
  tries=$((tries + 1))
  if [ "$tries" -gt 300 ] || ! kill -0 "$service" 2>/dev/null; then
    cat "$folder/log" >&2
    exit 69
  fi
  sleep 0.1
done
token=$(head -n 1 "$folder/out")
url=http://127.0.0.1:$(sed -n 's/.*"msg":"listening".*"port":\([0-9]*\).*/\1/p' "$folder/log")

# Each operation alone, and operations on what others created.
fuzz() {
  SCHEMATHESIS_HOOKS=openapi_hooks PYTHONPATH=Tests/Fuzz PYTHONDONTWRITEBYTECODE=1 \
    "$tools/bin/schemathesis" run "$url/openapi.json" \
    --header "Authorization: Bearer $token" --checks "$checks" --max-examples "$examples" --seed "$seed" \
    --request-timeout 10 --continue-on-failure --suppress-health-check all --generation-database none \
    --warnings off --no-color "$@" >"$folder/report" 2>&1 || {
    cat "$folder/report"
    [ -z "${LOG:-}" ] || cp "$folder/log" "$LOG"
    exit 1
  }
  sed -n '/= SUMMARY =/,$p' "$folder/report"
}

# A stream does not end. A fuzzer that revokes its own token sees nothing but 401 from then on, and one that tests the
# endpoints that it made up calls hosts of that name: these two are tried last, on things that are not there.
fuzz --exclude-operation-id stream --exclude-operation-id deleteToken --exclude-operation-id testEndpoint
fuzz --include-operation-id deleteToken --include-operation-id testEndpoint

# The token has to be good still. One that is bound to a device is refused a lot, each time in a way that is described.
token=$(
  "$tools/bin/python" - "$url" "$token" <<'END'
import json, sys, urllib.request
url, token = sys.argv[1:]
body = {"name": "bound", "scopes": ["ingest", "read", "write", "admin"], "deviceId": "jane/phone"}
headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
request = urllib.request.Request(url + "/v1/tokens", json.dumps(body).encode(), headers)
print(json.load(urllib.request.urlopen(request, timeout=10))["token"])
END
)
fuzz --exclude-operation-id stream

if grep -q '"msg":"request failed"' "$folder/log"; then
  grep '"msg":"request failed"' "$folder/log" | head >&2
  exit 1
fi
echo "No 5xx, and nothing that /openapi.json does not name."
