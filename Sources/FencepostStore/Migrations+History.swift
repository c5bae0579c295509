extension Migrations {
    /// History that is evaluated again: events that replace others, states in time, versions of regions, imports.
    static let version4 = """
        -- Time of the fix or the deadline that settled the event; NULL for events of the service.
        ALTER TABLE event ADD COLUMN detected_at INTEGER;
        -- The id that the evaluation gave it; NULL where it is the id.
        ALTER TABLE event ADD COLUMN cause TEXT;
        ALTER TABLE event ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
        -- EventOrigin: 0 live, 1 history, 2 correction, 3 retraction.
        ALTER TABLE event ADD COLUMN origin INTEGER NOT NULL DEFAULT 0;
        -- The event that replaces or retracts it; NULL while it holds.
        ALTER TABLE event ADD COLUMN superseded_by TEXT;
        UPDATE event SET detected_at = coalesce(CAST(round((julianday(
            CASE WHEN json_valid(body) THEN json_extract(body, '$.detectedAt') END) - 2440587.5) * 86400000.0)
          AS INTEGER), timestamp) WHERE device_id IS NOT NULL;
        CREATE INDEX event_by_detection ON event(device_id, detected_at);
        CREATE INDEX event_by_device_time ON event(device_id, timestamp, number);
        CREATE INDEX event_by_region_time ON event(region_id, timestamp, number) WHERE region_id IS NOT NULL;
        CREATE INDEX event_by_visit ON event(visit_id) WHERE visit_id IS NOT NULL;
        CREATE INDEX event_by_cause ON event(cause) WHERE cause IS NOT NULL;
        CREATE INDEX visit_by_device_time ON visit(device_id, start, number);

        -- The state of a device after all its fixes up to a time; an empty one is that of a new device.
        CREATE TABLE snapshot (
          device_id TEXT NOT NULL,
          time INTEGER NOT NULL,
          revision INTEGER NOT NULL,
          state BLOB NOT NULL,
          PRIMARY KEY (device_id, time)
        ) STRICT, WITHOUT ROWID;
        -- Devices with fixes up to this time that no evaluation may start before: some were removed, or the device was.
        CREATE TABLE evaluation_floor (
          device_id TEXT PRIMARY KEY,
          time INTEGER NOT NULL
        ) STRICT;
        -- Devices whose fixes have to be evaluated again.
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
        CREATE INDEX evaluation_queue ON evaluation(is_held, chunks, received_at);

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
        ) STRICT;
        -- The parts of an import that are not stored yet.
        CREATE TABLE import_slice (
          import_id TEXT NOT NULL,
          number INTEGER NOT NULL,
          count INTEGER NOT NULL,
          devices BLOB NOT NULL,
          fixes BLOB NOT NULL,
          PRIMARY KEY (import_id, number)
        ) STRICT, WITHOUT ROWID;

        -- Old rows of `region` are versions of the past. Those of a revision count from then on.
        ALTER TABLE region_change ADD COLUMN valid_from INTEGER;
        """
}
