public import FencepostFormats
public import FencepostJSON
public import FencepostModel

/// A file of recorded locations, or a part of one: its submission and its problems.
public struct HistoryFile: Sendable {
    /// Rejected records that are kept; more are counted by code (rule L2).
    public static let rejectedLimit = 1000

    /// The fixes by time; those of the same time in the order of the file. So no fix is late because of another one.
    public private(set) var submission: Submission
    /// The first rejected records.
    public private(set) var rejected: [Diagnostic] = []
    /// The members beyond their ranges, which the locations are without (rule L10).
    public private(set) var dropped = DroppedMembers()
    /// What is not used of the file, such as columns with unknown names.
    public private(set) var notes: [Diagnostic] = []
    /// The numbers of the other rejected records by code.
    public private(set) var moreRejected: [String: Int] = [:]
    /// Whether it is the end of the file.
    public private(set) var isComplete = false
    /// Number of records that are not locations.
    public private(set) var ignored = 0
    /// The format; `nil` when it is not known.
    public private(set) var format: LocationFormat?
    /// Why the file cannot be read as a whole; nothing of it should be stored then.
    public private(set) var failure: Diagnostic?

    /// Reads a file.
    ///
    /// - Parameters: as those of `HistoryFileReader`.
    public init(
        _ source: consuming ByteSource, name: String?, format: LocationFormat?, device: DeviceID, now: Timestamp
    ) throws(ByteSourceError) {
        var reader = HistoryFileReader(source, name: name, format: format, device: device, now: now)
        while true {
            if let file = try reader.readNext() {
                self = file
                return
            }
        }
    }

    fileprivate init(format: LocationFormat?) {
        submission = Submission(format: format?.rawValue ?? "file")
    }

    /// The file with the locations and reports of some devices only; its rejected and ignored records are all there.
    public func limited(to isIncluded: (DeviceID) -> Bool) -> HistoryFile {
        var file = self
        file.submission.locations = submission.locations.filter { isIncluded($0.deviceID) }
        file.submission.reports = submission.reports.filter { isIncluded($0.deviceID) }
        return file
    }

    /// Adds the next part of the file. Its problems are those of the whole file already.
    public mutating func append(_ next: HistoryFile) {
        let submission = submission
        self = next
        self.submission.locations = submission.locations + next.submission.locations
        self.submission.reports = submission.reports + next.submission.reports
        sort()
    }

    /// Removes the locations and reports, as a part of the file.
    fileprivate mutating func takePart() -> HistoryFile {
        var part = self
        part.sort()
        submission.locations = []
        submission.reports = []
        return part
    }

    private mutating func reject(_ diagnostic: Diagnostic) {
        if rejected.count < Self.rejectedLimit {
            rejected.append(diagnostic)
        } else {
            moreRejected[diagnostic.code, default: 0] += 1
        }
    }

    fileprivate mutating func take(_ records: [Decoded]) {
        for record in records {
            switch record {
            case .location(let location, _): submission.locations.append(location)
            case .rejected(let diagnostic): reject(diagnostic)
            case .reported(let report, _):
                submission.reports.append(report)
                ignored += 1
            case .gap: break
            }
        }
    }

    fileprivate mutating func finish(
        format found: LocationFormat?, failure: Diagnostic?, dropped: DroppedMembers, notes: [Diagnostic]
    ) {
        format = found
        self.notes = notes
        self.dropped = dropped
        self.failure = failure
        isComplete = true
        if let found { submission.format = found.rawValue }
        // The failure is the last record.
        if let failure, rejected.last == failure {
            rejected.removeLast()
        } else if let failure, let count = moreRejected[failure.code] {
            moreRejected[failure.code] = count == 1 ? nil : count - 1
        }
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

/// Reads a history file in steps, so that others can have their turn between them.
public struct HistoryFileReader: ~Copyable {
    private var reader: LocationReader
    private var file: HistoryFile

    /// Starts to read a file.
    ///
    /// - Parameters:
    ///   - source: the file's bytes.
    ///   - name: the file's name, for the format and the diagnostics.
    ///   - format: the format; `nil` to detect it.
    ///   - device: the device of records that name none.
    ///   - now: fixes more than 24 hours later are rejected (rule I50).
    public init(
        _ source: consuming ByteSource, name: String?, format: LocationFormat?, device: DeviceID, now: Timestamp
    ) {
        reader = LocationReader(
            source,
            options: LocationReader.Options(
                format: format, fileName: name, rules: FixRules(defaultDevice: device, now: now)))
        file = HistoryFile(format: format)
    }

    /// Reads the next 256 KiB at most.
    ///
    /// - Parameter limit: the number of fixes with which a part is complete.
    /// - Returns: the file, or the part after the one before, when it is complete.
    /// - Throws: when the source cannot be read.
    public mutating func readNext(limit: Int = .max) throws(ByteSourceError) -> HistoryFile? {
        do throws(ByteSourceError) {
            if let records = try reader.next() {
                file.take(records)
                return file.submission.locations.count >= limit ? file.takePart() : nil
            }
        } catch {
            guard error.isInterruption else { throw error }
            return nil
        }
        file.finish(format: reader.format, failure: reader.failure, dropped: reader.dropped, notes: reader.notes)
        return file
    }
}

extension JSONWriter {
    /// Writes the result of a file, for `fencepost import` and `POST /v1/imports`.
    ///
    /// - Parameters:
    ///   - file: the file as it was read.
    ///   - name: its name; `nil` for standard input and the body of a request.
    ///   - receipt: of the submission; `nil` in a dry run, in which duplicates are not known.
    ///   - events: number of events by type that the file brings about; `nil` when that is not known.
    ///   - writeMore: writes further members.
    public mutating func value(
        _ file: HistoryFile, name: String?, receipt: SubmissionReceipt?, events: [String: Int]? = nil,
        writeMore: (inout JSONWriter) -> Void = { _ in }
    ) {
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
        value(rejectedOf: file)
        if !file.dropped.isEmpty { value(dropped: file.dropped) }
        if !file.notes.isEmpty {
            self.name("notes")
            beginArray()
            for note in file.notes { value(note.description) }
            endArray()
        }
        if let events { value(counts: events) }
        writeMore(&self)
        endObject()
    }

    /// Writes the member `dropped`: how often each member of a location was beyond its range.
    public mutating func value(dropped: DroppedMembers) { value(counts: dropped.counts, as: "dropped") }

    /// Writes an object of counts as a member, sorted by name.
    public mutating func value(counts: [String: Int], as member: String = "events") {
        name(member)
        beginObject()
        for (type, count) in counts.sorted(by: { $0.key < $1.key }) {
            name(type)
            value(count)
        }
        endObject()
    }

    /// Writes the rejected records: the first ones, then a number for each code of the others.
    mutating func value(rejectedOf file: HistoryFile) {
        beginArray()
        for diagnostic in file.rejected { value(rejected: diagnostic) }
        for (code, count) in file.moreRejected.sorted(by: { $0.key < $1.key }) {
            beginObject()
            name("code")
            value(code)
            name("detail")
            value("There are \(count) more records with this problem.")
            name("count")
            value(count)
            endObject()
        }
        endArray()
    }

    /// Writes a rejected record.
    mutating func value(rejected diagnostic: Diagnostic) {
        beginObject()
        switch diagnostic.position {
        case .line(let line), .position(let line, _):
            name("line")
            value(line)
        case .index(let index):
            name("index")
            value(index)
        case .pointer(let pointer):
            name("pointer")
            value(pointer)
        case .file: break
        }
        name("code")
        value(diagnostic.code)
        name("detail")
        value(diagnostic.message)
        endObject()
    }
}
