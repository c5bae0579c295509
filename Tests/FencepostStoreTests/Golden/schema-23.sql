CREATE TABLE address (
  source TEXT NOT NULL,
  -- Degrees × 10,000.
  latitude INTEGER NOT NULL,
  longitude INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  -- NULL where the geocoder knows no address.
  place TEXT,
  PRIMARY KEY (source, latitude, longitude)
) STRICT, WITHOUT ROWID;
CREATE INDEX address_by_time ON address(stored_at);
CREATE TABLE alert_rule (
  id TEXT PRIMARY KEY,
  definition TEXT NOT NULL
) STRICT;
CREATE TABLE allowed_network (
  id TEXT PRIMARY KEY,
  network TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE app (
  id TEXT PRIMARY KEY,
  definition TEXT NOT NULL,
  steps TEXT NOT NULL
) STRICT;
CREATE TABLE attempt (
  id INTEGER PRIMARY KEY,
  delivery INTEGER NOT NULL REFERENCES delivery(number) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  nanoseconds INTEGER NOT NULL,
  status INTEGER,
  failure TEXT,
  excerpt TEXT,
  next_attempt INTEGER
) STRICT;
CREATE INDEX attempt_by_delivery ON attempt(delivery, id);
CREATE TABLE broker (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- The members of mqtt in the configuration, with the password.
  definition TEXT NOT NULL
) STRICT;
CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- The newest fix that was ever stored, as `newestFix` counts it; NULL without one.
  newest_fix INTEGER,
  -- The true time is at least this, by the last run of retention; NULL before one.
  trusted_time INTEGER
) STRICT;
CREATE VIEW current_region AS
  SELECT id, feature, added_in_revision, coalesce(event_number,
    (SELECT event_number FROM region_change WHERE region_change.revision = region.revision)) AS event_number
  FROM region
  WHERE feature IS NOT NULL AND revision = (SELECT max(revision) FROM region AS other
    WHERE other.id = region.id AND other.revision <= (SELECT region_revision FROM store));
CREATE TABLE decision (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  app_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  timestamp INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX decision_by_app ON decision(app_id, number);
CREATE INDEX decision_by_arrival ON decision(received_at);
CREATE INDEX decision_by_device ON decision(device_id, number);
CREATE TABLE "delivery" (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  endpoint_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  -- NULL where the event was not stored any more.
  event_timestamp INTEGER,
  device_id TEXT,
  is_ordered INTEGER NOT NULL,
  -- 0 pending, 1 delivered, 2 exhausted, 3 cancelled
  status INTEGER NOT NULL,
  -- Pending, and behind another one of its endpoint and device.
  is_waiting INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  due INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL,
  -- ContentHash; NULL in rows of early versions.
  hash INTEGER
) STRICT;
CREATE INDEX delivery_by_both ON delivery(endpoint_id, status, number);
CREATE INDEX delivery_by_event ON delivery(event_timestamp, event_id);
CREATE INDEX delivery_due ON delivery(endpoint_id, due, number) WHERE status = 0 AND is_waiting = 0;
CREATE INDEX delivery_over ON delivery(created_at) WHERE status > 0;
CREATE INDEX delivery_queue ON delivery(endpoint_id, device_id, is_waiting, number)
  WHERE status = 0 AND is_ordered = 1;
CREATE TABLE device (
  id TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  state BLOB NOT NULL
) STRICT;
CREATE TABLE device_group (
  tag TEXT PRIMARY KEY,
  definition TEXT NOT NULL
) STRICT;
CREATE TABLE device_profile (
  device_id TEXT PRIMARY KEY,
  name TEXT,
  -- #rrggbb
  color TEXT
, face BLOB) STRICT;
CREATE TABLE endpoint (
  id TEXT PRIMARY KEY,
  is_active INTEGER NOT NULL,
  definition TEXT NOT NULL,
  health TEXT NOT NULL
, written_through INTEGER) STRICT;
CREATE TABLE evaluation (
  device_id TEXT PRIMARY KEY,
  start_time INTEGER NOT NULL,
  from_time INTEGER NOT NULL,
  through_time INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  regions TEXT NOT NULL,
  cause TEXT NOT NULL,
  import_id TEXT,
  is_held INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  chunks INTEGER NOT NULL
) STRICT;
CREATE TABLE evaluation_floor (
  device_id TEXT PRIMARY KEY,
  time INTEGER NOT NULL
) STRICT;
CREATE INDEX evaluation_queue ON evaluation(is_held, chunks, received_at);
CREATE TABLE "event" (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  device_id TEXT,
  region_id TEXT,
  timestamp INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  body TEXT NOT NULL,
  why TEXT,
  visit_id TEXT,
  -- ContentHash; NULL in rows of early versions.
  hash INTEGER,
  -- Time of the fix or the deadline that settled the event; NULL for events of the service.
  detected_at INTEGER,
  -- The id that the evaluation gave it; NULL where it is the id.
  cause TEXT,
  revision INTEGER NOT NULL DEFAULT 1,
  -- EventOrigin: 0 live, 1 history, 2 correction, 3 retraction.
  origin INTEGER NOT NULL DEFAULT 0,
  -- The event that replaces or retracts it; NULL while it holds.
  superseded_by TEXT,
  -- 0 in the newest rows, which the indexes do not have yet (EventTail).
  is_indexed INTEGER NOT NULL DEFAULT 0
, packed BLOB) STRICT;
CREATE TABLE event_name (
  list INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (list, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE event_page (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  -- EventList.
  list INTEGER NOT NULL,
  -- The first posting.
  key INTEGER NOT NULL,
  time INTEGER NOT NULL,
  number INTEGER NOT NULL,
  -- EventListPage.
  postings BLOB NOT NULL
) STRICT;
CREATE INDEX event_page_first ON event_page(run, list, key, time, number);
CREATE TABLE event_run (
  id INTEGER PRIMARY KEY,
  first_number INTEGER NOT NULL,
  last_number INTEGER NOT NULL,
  count INTEGER NOT NULL,
  first_time INTEGER NOT NULL,
  last_time INTEGER NOT NULL,
  -- Arrival of the first.
  first_received INTEGER NOT NULL
) STRICT;
CREATE TABLE fence_change (
  number INTEGER PRIMARY KEY,
  device_id TEXT NOT NULL,
  time INTEGER NOT NULL,
  -- FenceChange as JSON
  change TEXT NOT NULL
) STRICT;
CREATE INDEX fence_change_by_device ON fence_change(device_id, time);
CREATE TABLE forgotten (
  device_id TEXT NOT NULL,
  event_number INTEGER NOT NULL,
  PRIMARY KEY (device_id, event_number)
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency (
  number INTEGER PRIMARY KEY,
  token_id TEXT NOT NULL,
  route TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash BLOB NOT NULL,
  claimed_at INTEGER NOT NULL,
  -- NULL while the request is being done.
  status INTEGER,
  headers TEXT,
  body BLOB,
  UNIQUE (token_id, route, key)
) STRICT;
CREATE INDEX idempotency_by_time ON idempotency(claimed_at);
CREATE TABLE import (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  file TEXT,
  format TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  device_id TEXT,
  locations INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  duplicates INTEGER NOT NULL,
  ignored INTEGER NOT NULL,
  events TEXT NOT NULL,
  rejected TEXT NOT NULL
, dropped TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE TABLE import_slice (
  import_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  count INTEGER NOT NULL,
  devices BLOB NOT NULL,
  fixes BLOB NOT NULL,
  PRIMARY KEY (import_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE live_position (
  device_id TEXT PRIMARY KEY,
  received_at INTEGER NOT NULL,
  fix BLOB NOT NULL
) STRICT;
CREATE TABLE log (
  position INTEGER PRIMARY KEY,
  received_at INTEGER NOT NULL,
  advances_clock INTEGER NOT NULL,
  count INTEGER NOT NULL,
  devices BLOB,
  fixes BLOB
, hash INTEGER) STRICT;
CREATE TABLE map_choice (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- MapTiles.text.
  tiles TEXT NOT NULL,
  attribution TEXT NOT NULL
) STRICT;
CREATE TABLE proximity_event (
  -- The id that the evaluation gave the event.
  event_id TEXT PRIMARY KEY,
  -- Of the rule with its distances, hours and so on: a changed rule has another one.
  rule_key TEXT NOT NULL,
  -- The pair. The event is about the first device, but for kind 5.
  device_id TEXT NOT NULL,
  other_id TEXT NOT NULL,
  -- 0 entered, 1 dwelled, 2 exited, 3 exited as the hours ended, 4 and 5 unaccompanied.
  kind INTEGER NOT NULL,
  timestamp INTEGER NOT NULL,
  detected_at INTEGER NOT NULL,
  -- Since when the pair is near each other; NULL where it is apart.
  since INTEGER,
  -- Milliseconds, of a dwell.
  dwell INTEGER,
  -- 0 for one that has not happened. It stays, since it decides who may see the event.
  holds INTEGER NOT NULL
) STRICT;
CREATE INDEX proximity_event_by_other ON proximity_event(other_id);
CREATE INDEX proximity_event_by_pair ON proximity_event(device_id, other_id, rule_key, detected_at, kind);
CREATE TABLE proximity_rule (
  id TEXT PRIMARY KEY,
  definition TEXT NOT NULL
) STRICT;
CREATE TABLE proximity_task (
  device_id TEXT PRIMARY KEY,
  from_time INTEGER NOT NULL,
  through_time INTEGER NOT NULL
) STRICT;
CREATE TABLE quarantine (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  received_at INTEGER NOT NULL,
  format TEXT NOT NULL,
  device_id TEXT,
  place INTEGER NOT NULL,
  code TEXT NOT NULL,
  detail TEXT NOT NULL
, fix BLOB) STRICT;
CREATE INDEX quarantine_by_arrival ON quarantine(received_at);
CREATE INDEX quarantine_by_device ON quarantine(device_id, number);
CREATE INDEX quarantine_with_fix ON quarantine(number) WHERE fix IS NOT NULL;
CREATE TABLE region (
  id TEXT NOT NULL,
  -- That of the change that made it what it is; what is above the store's does not count yet.
  revision INTEGER NOT NULL DEFAULT 0,
  -- NULL where the change removed it.
  feature TEXT,
  added_in_revision INTEGER NOT NULL,
  -- The last event before it became what it is; NULL where the change says it for all its regions.
  event_number INTEGER,
  PRIMARY KEY (id, revision)
) STRICT;
CREATE TABLE region_change (
  revision INTEGER PRIMARY KEY,
  event_number INTEGER NOT NULL
, valid_from INTEGER) STRICT;
CREATE TABLE report (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  device_id TEXT NOT NULL,
  timestamp INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  latitude REAL,
  longitude REAL,
  accuracy REAL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX report_by_arrival ON report(received_at);
CREATE INDEX report_by_device ON report(device_id, number);
CREATE TABLE report_schedule (
  id TEXT PRIMARY KEY,
  -- ReportSchedule, in JSON.
  definition TEXT NOT NULL
) STRICT;
CREATE TABLE retained_topic (
  broker TEXT NOT NULL,
  topic TEXT NOT NULL,
  device_id TEXT,
  kind TEXT NOT NULL,
  PRIMARY KEY (broker, topic)
) STRICT;
CREATE TABLE segment (
  id INTEGER PRIMARY KEY,
  device_id TEXT NOT NULL,
  first_time INTEGER NOT NULL,
  last_time INTEGER NOT NULL,
  count INTEGER NOT NULL,
  first_received INTEGER NOT NULL,
  last_received INTEGER NOT NULL,
  fixes BLOB NOT NULL
, hash INTEGER, south INTEGER, west INTEGER, north INTEGER, east INTEGER) STRICT;
CREATE INDEX segment_by_arrival ON segment(first_received, last_received);
CREATE INDEX segment_by_time ON segment(device_id, first_time, last_time, south, west, north, east);
CREATE INDEX segment_small ON segment(device_id) WHERE count < 512;
CREATE INDEX segment_unbounded ON segment(id) WHERE south IS NULL;
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  user_id TEXT NOT NULL,
  expires INTEGER NOT NULL,
  definition TEXT NOT NULL
) STRICT;
CREATE INDEX session_by_user ON session(user_id);
CREATE TABLE set_aside (
  -- SetAside.Kind
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  -- WorkJournal.Work
  work INTEGER NOT NULL,
  ends INTEGER NOT NULL,
  since INTEGER NOT NULL,
  is_released INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE share (
  id TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  expires INTEGER NOT NULL,
  created_at INTEGER NOT NULL
, owner_id TEXT) STRICT;
CREATE INDEX share_by_owner ON share(owner_id);
CREATE TABLE share_device (
  share_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  PRIMARY KEY (share_id, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX share_device_by_device ON share_device(device_id);
CREATE TABLE snapshot (
  device_id TEXT NOT NULL,
  time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  state BLOB NOT NULL,
  PRIMARY KEY (device_id, time)
) STRICT, WITHOUT ROWID;
CREATE TABLE source (
  name TEXT PRIMARY KEY,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE stay_correction (
  device_id TEXT NOT NULL,
  id TEXT NOT NULL,
  arrival INTEGER NOT NULL,
  departure INTEGER NOT NULL,
  -- NULL where there was no stay.
  latitude REAL,
  longitude REAL,
  name TEXT,
  -- An array of ids as JSON.
  regions TEXT NOT NULL,
  PRIMARY KEY (device_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  region_revision INTEGER NOT NULL,
  -- The log up to here is never replayed again: what is watched changed after it.
  replay_floor INTEGER NOT NULL,
  -- The log up to here is in segments too.
  archived_through INTEGER NOT NULL,
  -- While it goes on: up to which position the log is being archived, and the last device that was.
  archive_target INTEGER,
  archive_device TEXT,
  -- Fixes that came before this are no longer shown.
  history_floor INTEGER NOT NULL
) STRICT;
CREATE TABLE token (
  id TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  last_used INTEGER,
  definition TEXT NOT NULL
) STRICT;
CREATE TABLE user (
  id TEXT PRIMARY KEY,
  -- The name in lower case.
  key TEXT NOT NULL UNIQUE,
  definition TEXT NOT NULL
) STRICT;
CREATE TABLE visit (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  device_id TEXT NOT NULL,
  start INTEGER NOT NULL,
  "end" INTEGER,
  regions TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX visit_by_arrival ON visit(received_at);
CREATE INDEX visit_by_device ON visit(device_id, number);
CREATE INDEX visit_by_device_time ON visit(device_id, start, number);
CREATE INDEX visit_by_time ON visit(start, number);
