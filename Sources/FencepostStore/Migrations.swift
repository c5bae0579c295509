/// One step of the schema. `user_version` of the file is the number of the last step.
///
/// To store something new, add a step at the end of `Migrations.all`. A released step is never edited.
///
/// Each copy of a cluster runs the steps on its own file, and the copies have to be equal row by row then. So a step is a function
/// of the rows that it finds: no clock, no randomness, nothing of the node, and no order that SQLite may choose. An INSERT …
/// SELECT that gives rows their numbers has an ORDER BY over a key.
struct Migration: Sendable {
    var version: Int
    var sql: String
}

enum Migrations {
    /// The application id "FPst", by which `file` and Fencepost recognise the database.
    static let applicationID: Int32 = 0x4650_7374

    /// The first schema that only sealed records of a cluster's log bring a copy to.
    static let firstSealed = 13

    static let all = [
        Migration(version: 1, sql: version1), Migration(version: 2, sql: version2),
        Migration(version: 3, sql: version3), Migration(version: 4, sql: version4), Migration(version: 5, sql: users),
        Migration(version: 6, sql: addresses), Migration(version: 7, sql: clock),
        Migration(version: 8, sql: shareOwners), Migration(version: 9, sql: networks),
        Migration(version: 10, sql: eventIndexes), Migration(version: 11, sql: page),
        Migration(version: 12, sql: faces), Migration(version: 13, sql: setAside),
        Migration(version: 14, sql: retainedTopics), Migration(version: 15, sql: droppedMembers),
        Migration(version: 16, sql: alertRules + stayCorrections + reports), Migration(version: 17, sql: broker),
        Migration(version: 18, sql: packedEvents), Migration(version: 19, sql: eventRuns),
        Migration(version: 20, sql: deliveryIndexes + segmentBounds), Migration(version: 21, sql: fences),
        Migration(version: 22, sql: directMessages),
        Migration(version: 23, sql: proximity),
        Migration(version: 24, sql: plans),
    ]

    /// Times are milliseconds since 1970. Values of `number` columns are never reused, since they are the ids of server-sent
    /// events and the cursors of lists.
    private static let version1 = """
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
        INSERT INTO store VALUES (1, 0, 0, 0, NULL, NULL, \(Int64.min));

        CREATE TABLE log (
          position INTEGER PRIMARY KEY,
          received_at INTEGER NOT NULL,
          advances_clock INTEGER NOT NULL,
          count INTEGER NOT NULL,
          devices BLOB,
          fixes BLOB
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
        ) STRICT;
        CREATE INDEX segment_by_time ON segment(device_id, first_time, last_time);
        CREATE INDEX segment_by_arrival ON segment(first_received, last_received);
        CREATE INDEX segment_small ON segment(device_id) WHERE count < 512;

        CREATE TABLE device (
          id TEXT PRIMARY KEY,
          position INTEGER NOT NULL,
          state BLOB NOT NULL
        ) STRICT;
        CREATE TABLE live_position (
          device_id TEXT PRIMARY KEY,
          received_at INTEGER NOT NULL,
          fix BLOB NOT NULL
        ) STRICT;
        -- Devices that were forgotten, and the last event before: their sequence begins anew after it.
        CREATE TABLE forgotten (
          device_id TEXT NOT NULL,
          event_number INTEGER NOT NULL,
          PRIMARY KEY (device_id, event_number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE region (
          id TEXT PRIMARY KEY,
          feature TEXT NOT NULL,
          added_in_revision INTEGER NOT NULL,
          -- The last event before it became what it is.
          event_number INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE app (
          id TEXT PRIMARY KEY,
          definition TEXT NOT NULL,
          steps TEXT NOT NULL
        ) STRICT;
        CREATE TABLE source (
          name TEXT PRIMARY KEY,
          hash TEXT NOT NULL
        ) STRICT;

        CREATE TABLE event (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          id TEXT NOT NULL UNIQUE,
          type TEXT NOT NULL,
          device_id TEXT,
          region_id TEXT,
          timestamp INTEGER NOT NULL,
          received_at INTEGER NOT NULL,
          body TEXT NOT NULL,
          why TEXT,
          visit_id TEXT
        ) STRICT;
        CREATE INDEX event_by_device ON event(device_id, number);
        CREATE INDEX event_by_region ON event(region_id, number) WHERE region_id IS NOT NULL;
        CREATE INDEX event_by_type ON event(type, number);
        CREATE INDEX event_by_time ON event(timestamp, number);
        CREATE INDEX event_by_arrival ON event(received_at);

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
        CREATE INDEX visit_by_device ON visit(device_id, number);
        CREATE INDEX visit_by_time ON visit(start, number);
        CREATE INDEX visit_by_arrival ON visit(received_at);

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
        CREATE INDEX decision_by_device ON decision(device_id, number);
        CREATE INDEX decision_by_arrival ON decision(received_at);

        CREATE TABLE quarantine (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          received_at INTEGER NOT NULL,
          format TEXT NOT NULL,
          device_id TEXT,
          place INTEGER NOT NULL,
          code TEXT NOT NULL,
          detail TEXT NOT NULL
        ) STRICT;
        CREATE INDEX quarantine_by_device ON quarantine(device_id, number);
        CREATE INDEX quarantine_by_arrival ON quarantine(received_at);

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
        CREATE INDEX report_by_device ON report(device_id, number);
        CREATE INDEX report_by_arrival ON report(received_at);

        CREATE TABLE endpoint (
          id TEXT PRIMARY KEY,
          is_active INTEGER NOT NULL,
          definition TEXT NOT NULL,
          health TEXT NOT NULL
        ) STRICT;
        CREATE TABLE delivery (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          id TEXT NOT NULL UNIQUE,
          endpoint_id TEXT NOT NULL,
          event_id TEXT NOT NULL REFERENCES event(id) ON DELETE CASCADE,
          event_type TEXT NOT NULL,
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
          body TEXT NOT NULL
        ) STRICT;
        CREATE INDEX delivery_due ON delivery(endpoint_id, due, number) WHERE status = 0 AND is_waiting = 0;
        CREATE INDEX delivery_queue ON delivery(endpoint_id, device_id, is_waiting, number)
          WHERE status = 0 AND is_ordered = 1;
        CREATE INDEX delivery_by_endpoint ON delivery(endpoint_id, number);
        CREATE INDEX delivery_by_status ON delivery(status, number);
        CREATE INDEX delivery_by_both ON delivery(endpoint_id, status, number);
        CREATE INDEX delivery_by_event ON delivery(event_id, number);
        CREATE INDEX delivery_over ON delivery(created_at) WHERE status > 0;
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

        CREATE TABLE token (
          id TEXT PRIMARY KEY,
          hash BLOB NOT NULL UNIQUE,
          last_used INTEGER,
          definition TEXT NOT NULL
        ) STRICT;
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
        """

    /// Regions get a revision, so that many can be staged in small transactions before their change.
    private static let version2 = """
        ALTER TABLE region RENAME TO region_before;
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
        INSERT INTO region (id, feature, added_in_revision, event_number)
          SELECT id, feature, added_in_revision, event_number FROM region_before ORDER BY id;
        DROP TABLE region_before;
        -- Changes whose regions were written ahead, and the last event before each.
        CREATE TABLE region_change (
          revision INTEGER PRIMARY KEY,
          event_number INTEGER NOT NULL
        ) STRICT;
        -- The regions as they are now.
        CREATE VIEW current_region AS
          SELECT id, feature, added_in_revision, coalesce(event_number,
            (SELECT event_number FROM region_change WHERE region_change.revision = region.revision)) AS event_number
          FROM region
          WHERE feature IS NOT NULL AND revision = (SELECT max(revision) FROM region AS other
            WHERE other.id = region.id AND other.revision <= (SELECT region_revision FROM store));
        """

    /// Fixes whose time was refused keep their content; rows get a hash, by which a damaged one is found.
    private static let version3 = """
        -- As in live_position; NULL unless only the time was refused.
        ALTER TABLE quarantine ADD COLUMN fix BLOB;
        CREATE INDEX quarantine_with_fix ON quarantine(number) WHERE fix IS NOT NULL;
        -- ContentHash; NULL in rows of earlier versions.
        ALTER TABLE event ADD COLUMN hash INTEGER;
        ALTER TABLE delivery ADD COLUMN hash INTEGER;
        ALTER TABLE log ADD COLUMN hash INTEGER;
        ALTER TABLE segment ADD COLUMN hash INTEGER;
        """
}
