/// What the rows of an export are.
package enum ExportKind: String, CaseIterable, Sendable {
    /// Stored locations.
    case locations
    /// Visits by their arrivals.
    case visits
    /// Trips by their starts.
    case trips
    /// The events of devices that hold.
    case events
}

/// The format of an export.
package enum ExportFormat: String, CaseIterable, Sendable {
    /// Columns with WKB geometries in a Parquet file (GeoParquet 1.1).
    case geoparquet
    /// Trajectories (OGC Moving Features JSON 1.0).
    case mfJSON = "mf-json"

    /// The end of the name of a file.
    package var suffix: String {
        switch self {
        case .geoparquet: "parquet"
        case .mfJSON: "mf.json"
        }
    }

    /// The media type.
    package var type: String {
        switch self {
        case .geoparquet: "application/vnd.apache.parquet"
        case .mfJSON: "application/json"
        }
    }

    /// Whether it can hold such rows: visits and events do not move.
    package func holds(_ kind: ExportKind) -> Bool {
        switch (self, kind) {
        case (.geoparquet, _), (.mfJSON, .locations), (.mfJSON, .trips): true
        case (.mfJSON, .visits), (.mfJSON, .events): false
        }
    }
}
