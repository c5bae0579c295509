extension Migrations {
    /// Reports that are sent to endpoints on a schedule.
    static let reports = """
        CREATE TABLE report_schedule (
          id TEXT PRIMARY KEY,
          -- ReportSchedule, in JSON.
          definition TEXT NOT NULL
        ) STRICT;
        """
}
