#!/bin/sh
# Starts the service as its user, with the options of the add-on and the broker that the supervisor names.
set -eu
options=${FENCEPOST_OPTIONS:-/data/options.json}
state=${FENCEPOST_STATE:-/data}

option() { jq -r --arg key "$1" '.[$key] // empty' "$options"; }

export FENCEPOST_SERVER_HOST=0.0.0.0 FENCEPOST_STORAGE_PATH="$state/fencepost.sqlite"
level=$(option log_level)
[ -z "$level" ] || export FENCEPOST_LOG_LEVEL="$level"

# The supervisor answers only where an MQTT broker is an add-on.
if [ -n "${SUPERVISOR_TOKEN:-}" ] &&
  broker=$(curl -fsS -H "Authorization: Bearer $SUPERVISOR_TOKEN" "${FENCEPOST_SUPERVISOR:-http://supervisor}/services/mqtt"); then
  field() { printf '%s' "$broker" | jq -r --arg key "$1" '.data[$key] // empty'; }
  export FENCEPOST_MQTT_HOST="$(field host)" FENCEPOST_MQTT_PORT="$(field port)"
  export FENCEPOST_MQTT_USERNAME="$(field username)" FENCEPOST_MQTT_PASSWORD="$(field password)"
  [ "$(field ssl)" != true ] || export FENCEPOST_MQTT_TLS=true
  topic=$(option mqtt_topic)
  [ -z "$topic" ] || export FENCEPOST_MQTT_TOPIC="$topic"
else
  echo 'No MQTT broker of Home Assistant: locations come over HTTP only.' >&2
fi

# The folder belongs to root until the first start.
chown -R fencepost:fencepost "$state"
cd "$state"
exec setpriv --reuid fencepost --regid fencepost --init-groups fencepost serve
