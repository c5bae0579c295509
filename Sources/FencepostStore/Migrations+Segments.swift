extension Migrations {
    /// Where the fixes of segments are, in the index that has their times, so that those near an area are found without their rows.
    ///
    /// Segments of before have none until maintenance has read them.
    static let segmentBounds = """
        -- FixBounds: ten-millionths of a degree. `west` is above `east` across the antimeridian. NULL where it is not known yet.
        ALTER TABLE segment ADD COLUMN south INTEGER;
        ALTER TABLE segment ADD COLUMN west INTEGER;
        ALTER TABLE segment ADD COLUMN north INTEGER;
        ALTER TABLE segment ADD COLUMN east INTEGER;
        DROP INDEX segment_by_time;
        CREATE INDEX segment_by_time ON segment(device_id, first_time, last_time, south, west, north, east);
        CREATE INDEX segment_unbounded ON segment(id) WHERE south IS NULL;
        """
}
