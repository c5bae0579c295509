extension Migrations {
    /// Rules about devices near each other, what has happened to their pairs, and the devices whose past is to be compared again.
    static let proximity = """
        CREATE TABLE proximity_rule (
          id TEXT PRIMARY KEY,
          definition TEXT NOT NULL
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
        CREATE INDEX proximity_event_by_pair ON proximity_event(device_id, other_id, rule_key, detected_at, kind);
        CREATE INDEX proximity_event_by_other ON proximity_event(other_id);

        CREATE TABLE proximity_task (
          device_id TEXT PRIMARY KEY,
          from_time INTEGER NOT NULL,
          through_time INTEGER NOT NULL
        ) STRICT;
        """
}
