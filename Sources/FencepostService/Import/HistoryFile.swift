public import FencepostFormats
public import FencepostJSON
public import FencepostModel

/// One file of history, read whole: what is to be stored of it, and what is said about it.
public struct HistoryFile: Sendable {
    /// The fixes by time, those of one time in the order of the file, so that none is late for the others.
    public private(set) var submission: Submission
    /// Records that are no locations.
    public private(set) var rejected: [Diagnostic] = []
    /// Records that say something else than where a device was.
    public private(set) var ignored = 0
    public private(set) var format: LocationFormat?
    /// What is wrong with the file as a whole: then nothing of it is to be stored.
    public private(set) var failure: Diagnostic?

    /// - Parameters:
    ///   - source: the file's bytes.
    ///   - name: as the user gave it, for the format and the diagnostics.
    ///   - device: whose fixes they are where the records do not say.
    ///   - now: fixes of more than 24 hours later are rejected (rule I50).
    public init(
        _ source: consuming ByteSource, name: String?, format: LocationFormat?, device: DeviceID, now: Timestamp
    ) throws(ByteSourceError) {
        var reader = LocationReader(
            source,
            options: LocationReader.Options(
                format: format, fileName: name, rules: FixRules(defaultDevice: device, now: now)))
        submission = Submission(format: format?.rawValue ?? "file")
        while true {
            let records: [Decoded]
            do throws(ByteSourceError) {
                guard let next = try reader.next() else { break }
                records = next
            } catch {
                if error.isInterruption { continue }
                throw error
            }
            for record in records {
                switch record {
                case .location(let location, _): submission.locations.append(location)
                case .rejected(let diagnostic): rejected.append(diagnostic)
                case .reported(let report, _):
                    submission.reports.append(report)
                    ignored += 1
                case .gap: break
                }
            }
        }
        self.format = reader.format
        failure = reader.failure
        if let found = reader.format { submission.format = found.rawValue }
        if failure != nil { rejected.removeLast() }
        sort()
    }

    private mutating func sort() {
        let locations = submission.locations
        guard zip(locations, locations.dropFirst()).contains(where: { $0.timestamp > $1.timestamp }) else { return }
        let order = locations.indices.sorted {
            (locations[$0].timestamp, $0) < (locations[$1].timestamp, $1)
        }
        submission.locations = order.map { locations[$0] }
    }
}

extension JSONWriter {
    /// The line about one file that `fencepost import` prints and `POST /v1/imports` answers.
    ///
    /// - Parameter receipt: what became of the fixes; `nil` in a dry run, where nothing is known of duplicates.
    public mutating func value(_ file: HistoryFile, name: String?, receipt: SubmissionReceipt?) {
        beginObject()
        self.name("file")
        if let name { value(name) } else { null() }
        self.name("format")
        if let format = file.format { value(format.rawValue) } else { null() }
        let counts = [
            ("stored", receipt?.accepted ?? file.submission.locations.count),
            ("duplicates", receipt?.duplicates ?? 0), ("ignored", file.ignored),
        ]
        for (name, count) in counts {
            self.name(name)
            value(count)
        }
        self.name("rejected")
        beginArray()
        for diagnostic in file.rejected {
            beginObject()
            switch diagnostic.place {
            case .line(let line), .position(let line, _):
                self.name("line")
                value(line)
            case .index(let index):
                self.name("index")
                value(index)
            case .pointer(let pointer):
                self.name("pointer")
                value(pointer)
            case .file: break
            }
            self.name("code")
            value(diagnostic.code)
            self.name("detail")
            value(diagnostic.message)
            endObject()
        }
        endArray()
        endObject()
    }
}
