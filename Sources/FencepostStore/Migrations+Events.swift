extension Migrations {
    /// Events get into their indexes later, many at a time. So the indexes leave out new rows, and nothing refers to an event
    /// by a foreign key, whose index could not.
    static let eventIndexes = """
        CREATE TABLE event_new (
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
        ) STRICT;
        INSERT INTO event_new (number, id, type, device_id, region_id, timestamp, received_at, body, why, visit_id, hash,
            detected_at, cause, revision, origin, superseded_by, is_indexed)
          SELECT number, id, type, device_id, region_id, timestamp, received_at, body, why, visit_id, hash, detected_at,
            cause, revision, origin, superseded_by, 1 FROM event ORDER BY number;

        CREATE TABLE delivery_new (
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
        INSERT INTO delivery_new (number, id, endpoint_id, event_id, event_type, event_timestamp, device_id, is_ordered,
            status, is_waiting, attempts, created_at, due, headers, body, hash)
          SELECT number, id, endpoint_id, event_id, event_type,
            (SELECT timestamp FROM event WHERE event.id = delivery.event_id), device_id, is_ordered, status, is_waiting,
            attempts, created_at, due, headers, body, hash FROM delivery ORDER BY number;

        -- The last numbers stay, also where their rows are gone.
        DELETE FROM sqlite_sequence WHERE name IN ('event_new', 'delivery_new');
        INSERT INTO sqlite_sequence (name, seq)
          SELECT name || '_new', seq FROM sqlite_sequence WHERE name IN ('event', 'delivery');
        DROP TABLE delivery;
        DROP TABLE event;
        ALTER TABLE event_new RENAME TO event;
        ALTER TABLE delivery_new RENAME TO delivery;

        CREATE UNIQUE INDEX event_by_id ON event(id) WHERE is_indexed = 1;
        CREATE INDEX event_by_device ON event(device_id, number) WHERE is_indexed = 1;
        CREATE INDEX event_by_region ON event(region_id, number) WHERE is_indexed = 1 AND region_id IS NOT NULL;
        CREATE INDEX event_by_type ON event(type, number) WHERE is_indexed = 1;
        CREATE INDEX event_by_time ON event(timestamp, number) WHERE is_indexed = 1;
        CREATE INDEX event_by_arrival ON event(received_at) WHERE is_indexed = 1;
        CREATE INDEX event_by_detection ON event(device_id, detected_at) WHERE is_indexed = 1;
        CREATE INDEX event_by_device_time ON event(device_id, timestamp, number) WHERE is_indexed = 1;
        CREATE INDEX event_by_region_time ON event(region_id, timestamp, number)
          WHERE is_indexed = 1 AND region_id IS NOT NULL;
        CREATE INDEX event_by_visit ON event(visit_id) WHERE is_indexed = 1 AND visit_id IS NOT NULL;
        CREATE INDEX event_by_cause ON event(cause) WHERE is_indexed = 1 AND cause IS NOT NULL;

        CREATE INDEX delivery_due ON delivery(endpoint_id, due, number) WHERE status = 0 AND is_waiting = 0;
        CREATE INDEX delivery_queue ON delivery(endpoint_id, device_id, is_waiting, number)
          WHERE status = 0 AND is_ordered = 1;
        CREATE INDEX delivery_by_endpoint ON delivery(endpoint_id, number);
        CREATE INDEX delivery_by_status ON delivery(status, number);
        CREATE INDEX delivery_by_both ON delivery(endpoint_id, status, number);
        CREATE INDEX delivery_by_event ON delivery(event_id, number);
        CREATE INDEX delivery_over ON delivery(created_at) WHERE status > 0;
        """

    /// Events of devices are stored as values, in an eighth of the bytes of their JSON. Rows of before keep their text.
    static let packedEvents = """
        -- EventCodec; NULL where `body` and `why` have the event. Where it is there, they are empty.
        ALTER TABLE event ADD COLUMN packed BLOB;
        """

    /// Lists of postings in place of the indexes of events, each entry of which was a row of 20 to 50 bytes that changed another
    /// page. Maintenance makes the runs of older events too.
    static let eventRuns = """
        -- Overwriting their pages takes ten times as long as the rest. An erasure overwrites unused pages.
        PRAGMA secure_delete = FAST;
        DROP INDEX event_by_id;
        DROP INDEX event_by_device;
        DROP INDEX event_by_region;
        DROP INDEX event_by_type;
        DROP INDEX event_by_time;
        DROP INDEX event_by_arrival;
        DROP INDEX event_by_detection;
        DROP INDEX event_by_device_time;
        DROP INDEX event_by_region_time;
        DROP INDEX event_by_visit;
        DROP INDEX event_by_cause;
        PRAGMA secure_delete = ON;

        -- Events of successive numbers that are in lists; later ones are in none yet.
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
        -- The lists of runs, in pages. A run that is being written, or was removed, has pages and no row.
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
        -- The devices and types of events in runs; lists have only hashes of them.
        CREATE TABLE event_name (
          list INTEGER NOT NULL,
          name TEXT NOT NULL,
          PRIMARY KEY (list, name)
        ) STRICT, WITHOUT ROWID;
        """
}
