import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import HTTPTypes
import Synchronization

/// Import of history files (rules I6, I40 to I44).
extension API {
    var importRoutes: [Route] {
        [
            Route(
                method: .post, path: "/v1/imports", name: "postImport",
                summary: "Imports the locations of a history file. A file that cannot be read stores nothing",
                tag: "Locations",
                access: .scope(.ingest),
                parameters: [
                    Route.Parameter(
                        name: "file", schema: Schema.string,
                        text: "Name of the file. Its extension decides the format where the content does not."),
                    Route.Parameter(
                        name: "format", words: LocationFormat.self,
                        text: "The format, instead of detecting it."),
                    Route.Parameter(
                        name: "deviceId", schema: Schema.deviceID, text: "The device of records without one."),
                    .flag("dryRun", "Only reports what would happen, events included. Nothing is stored."),
                    .flag("lines", "With dryRun: adds the devices of the file, each with a line for a map."),
                ],
                body: Route.Body(
                    types: ["*/*"], schema: #"{"type":"string","format":"binary"}"#, isLarge: true),
                successes: [
                    .json(
                        Schema.named("ImportReport"), "The result of the import.",
                        example:
                            #"{"file":"walk.gpx","format":"gpx","stored":120,"duplicates":0,"ignored":0,"rejected":[],"#
                            + #""events":{"region.entered":2}}"#
                    ),
                    Route.Success(
                        status: .accepted, type: RouteResponse.json, schema: Schema.named("ImportJob"),
                        text: "The import continues in the background. Location is the path of its progress."),
                ],
                partition: .file,
                handle: { call in try await importFile(call) }),
            Route(
                method: .get, path: "/v1/imports", name: "listImports",
                summary: "Lists the imports that took long, the newest first; at most 500", tag: "Locations",
                access: .scope(.ingest), parameters: Route.Parameter.paging,
                successes: [.json(Schema.list(of: Schema.named("ImportJob")), "The imports.")],
                partition: .imports,
                handle: { call in
                    try checkMayImport(call)
                    let history = try histories()
                    let own = call.caller.deviceID
                    let jobs = try await history.imports(limit: 500).filter { own == nil || own == $0.deviceID }
                    var shown: [(job: ImportJob, progress: Double)] = []
                    for job in jobs.prefix(try call.limit()) {
                        shown.append((job, try await history.progress(of: job)))
                    }
                    return call.page(shown, next: nil) { $0.value($1.job, progress: $1.progress) }
                }),
            Route(
                method: .get, path: "/v1/imports/{id}", name: "getImport",
                summary: "Shows the progress of an import that takes long", tag: "Locations", access: .scope(.ingest),
                parameters: [.id("import")],
                successes: [.json(Schema.named("ImportJob"), "The import.")],
                partition: .import,
                handle: { call in
                    let job = try await importJob(call)
                    let progress = try await histories().progress(of: job)
                    return RouteResponse { $0.value(job, progress: progress) }
                }),
            Route(
                method: .delete, path: "/v1/imports/{id}", name: "deleteImport",
                summary: "Cancels an import. What it has stored stays", tag: "Locations", access: .scope(.ingest),
                parameters: [.id("import")],
                successes: [.noContent("The import was cancelled, or it was over.")],
                partition: .import,
                handle: { call in
                    let job = try await importJob(call)
                    _ = try await histories().cancelImport(job.id)
                    return .noContent
                }),
        ]
    }

    /// The import that a path names, if the caller may see it.
    private func importJob(_ call: Call) async throws -> ImportJob {
        try checkMayImport(call)
        guard let job = try await histories().importJob(call.parameter("id")),
            call.caller.deviceID == nil || call.caller.deviceID == job.deviceID
        else { throw Problem.notFound("import") }
        return job
    }

    func histories() throws -> any HistoryServices {
        guard let history else { throw MonitorFailure.starting }
        return history
    }

    /// Like `Call.device()`, for a request that writes: a bound token can only write for its device (rule I10).
    private func importDevice(_ call: Call) throws(Problem) -> DeviceID? {
        if let name = call.query["deviceId"], let device = try? DeviceID(validating: name),
            !call.caller.maySee(device)
        {
            throw .otherDevice
        }
        return try call.device()
    }

    /// An import has one owner: a device, or somebody who sees all devices.
    private func checkMayImport(_ call: Call) throws(Problem) {
        guard call.caller.visibility != .all else { return }
        throw .forbidden("limited_user", "A user who sees only some devices cannot import files.")
    }

    /// The file of a form. Of several one would be stored, and the others lost.
    private static func file(ofForm call: Call) throws(Problem) -> (bytes: [UInt8], name: String?) {
        let parts = MultipartForm.files(call.body, contentType: call.headers[.contentType] ?? "")
        guard let part = parts.first else { throw .unreadable("invalid_multipart", "The form contains no file.") }
        guard parts.count == 1 else {
            throw .unreadable(
                "several_files",
                "The form contains \(parts.count) files: send each in a request of its own, or all in a .zip.")
        }
        return part
    }

    private func importFile(_ call: Call) async throws -> RouteResponse {
        try checkMayImport(call)
        let format = try call.word("format", LocationFormat.self)
        let (dryRun, lines) = (try call.flag("dryRun"), try call.flag("lines"))
        let device = try importDevice(call) ?? DeviceID("default")
        var (bytes, name) = (call.body, call.query["file"])
        if call.contentType == "multipart/form-data" {
            let part = try Self.file(ofForm: call)
            bytes = part.bytes
            name = name ?? part.name
        }
        let now = clock.now()
        let fileName = name
        // All partitions of a cluster get the file, and each stores what belongs to it.
        let sharedID = partition == nil ? nil : PartitionImport.id(call.headers, key: forwardingKey)
        let isFirst = sharedID == nil || partition?.part == .partition(0)
        let source = ImportSource(
            HistoryFileReader(ByteSource(bytes: bytes), name: fileName, format: format, device: device, now: now))
        bytes = []
        @Sendable func next() async throws -> HistoryFile {
            let part = try await importQueue.run(for: call.owner, source) { source in
                try source.reader.withLock { try $0.readNext(limit: Self.importPart) }
            }
            return try own(of: part, call, isShared: sharedID != nil)
        }
        var file = try await next()
        while dryRun, !file.isComplete {
            file.append(try await next())
            guard file.submission.locations.count <= Self.previewLimit else {
                throw Problem.invalid(
                    "too_many_records", "A dry run reads at most \(Self.previewLimit) locations.")
            }
        }
        let history = try histories()
        let quarantine: @Sendable (HistoryFile) -> [QuarantineEntry] = { file in
            guard isFirst else { return [] }
            let entries = file.rejected.map { diagnostic in
                QuarantineEntry(
                    receivedAt: now, format: file.submission.format, deviceID: call.caller.deviceID,
                    index: diagnostic.position.number, code: diagnostic.code, detail: diagnostic.message)
            }
            return ingest.quarantineBudget.admitted(entries, of: call.owner, at: now)
        }
        guard file.isComplete else {
            var job = ImportJob(
                id: sharedID ?? newID("imp_"), file: fileName, format: file.submission.format, createdAt: now,
                locations: 0, ignored: 0, rejected: "[]")
            job.deviceID = call.caller.deviceID
            let end = Mutex(false)
            let queued = try await history.importParts(job, first: file, quarantined: quarantine) {
                guard !end.withLock({ $0 }) else { return nil }
                let part = try await next()
                end.withLock { $0 = part.isComplete }
                return part
            }
            return try await response(to: queued, history)
        }
        guard !dryRun else {
            let preview = try await history.preview(file, withLines: lines)
            return RouteResponse { [file] in
                $0.value(file, name: fileName, receipt: preview.receipt, events: preview.events) { writer in
                    writer.member("repeated", preview.repeated)
                    if lines { writer.array("devices", preview.devices) { $0.value($1) } }
                }
            }
        }
        let outcome = try await history.importFile(
            file, id: sharedID ?? newID("imp_"), name: fileName, quarantined: quarantine(file),
            owner: call.caller.deviceID)
        switch outcome {
        case .done(let receipt, let events):
            return RouteResponse { [file] in $0.value(file, name: fileName, receipt: receipt, events: events) }
        case .queued(let job): return try await response(to: job, history)
        }
    }

    /// Fixes of a file that are in memory at a time.
    private static let importPart = 50_000
    /// Fixes of a file that a dry run reads.
    private static let previewLimit = 1_000_000

    /// What is this server's of a part of a file.
    ///
    /// - Throws: a `Problem` for a file that cannot be read, or has what is not the caller's.
    private func own(of part: HistoryFile, _ call: Call, isShared: Bool) throws(Problem) -> HistoryFile {
        if let failure = part.failure { throw .invalid(failure.code, failure.message) }
        guard part.format != nil || !part.isComplete else {
            throw .invalid("unknown_format", "The format of the file cannot be detected. Give it with ?format=.")
        }
        if let own = call.caller.deviceID {
            guard part.submission.locations.allSatisfy({ $0.deviceID == own }),
                part.submission.reports.allSatisfy({ $0.deviceID == own })
            else { throw .otherDevice }
        }
        guard let partition else { return part }
        let own = part.limited { partition.partitioning.part(of: $0) == partition.part }
        let isAll =
            own.submission.locations.count == part.submission.locations.count
            && own.submission.reports.count == part.submission.reports.count
        guard isShared || isAll else { throw .otherPartition }
        return own
    }

    private func response(to job: ImportJob, _ history: any HistoryServices) async throws -> RouteResponse {
        let progress = try await history.progress(of: job)
        var response = RouteResponse(.accepted) { $0.value(job, progress: progress) }
        response.headers[.location] = "/v1/imports/\(job.id)"
        return response
    }
}

/// The reader of a file, which the slices of one request use one after the other.
private final class ImportSource: Sendable {
    let reader: Mutex<HistoryFileReader>

    init(_ reader: consuming sending HistoryFileReader) { self.reader = Mutex(reader) }
}

extension JSONWriter {
    fileprivate mutating func value(_ device: ImportPreview.Device) {
        beginObject()
        member("id", device.id.rawValue)
        member("locations", device.locations)
        member("from", device.from)
        member("to", device.to)
        array("line", device.line) { writer, position in
            writer.beginArray()
            writer.value((position.longitude * 1e6).rounded() / 1e6)
            writer.value((position.latitude * 1e6).rounded() / 1e6)
            writer.endArray()
        }
        endObject()
    }

    /// `progress`: 0 to 1.
    mutating func value(_ job: ImportJob, progress: Double) {
        beginObject()
        member("id", job.id)
        member("state", job.state.rawValue)
        name("progress")
        value((progress * 1000).rounded() / 1000)
        name("file")
        if let file = job.file { value(file) } else { null() }
        member("format", job.format)
        member("createdAt", job.createdAt)
        for (name, count) in [
            ("locations", job.locations), ("stored", job.stored), ("duplicates", job.duplicates),
            ("ignored", job.ignored),
        ] {
            self.member(name, count)
        }
        name("rejected")
        raw(job.rejected)
        if !job.dropped.isEmpty { value(counts: job.dropped, as: "dropped") }
        value(counts: job.events)
        endObject()
    }
}

extension Diagnostic.Position {
    /// Line or number of the record; 0 for neither.
    fileprivate var number: Int {
        switch self {
        case .line(let line), .position(let line, _): line
        case .index(let index): index
        case .file, .pointer: 0
        }
    }
}

/// The files of a form (RFC 7578): the parts with a name of a file, or else the last one that is called `file`.
enum MultipartForm {
    static func files(_ body: [UInt8], contentType: String) -> [(bytes: [UInt8], name: String?)] {
        guard let mark = contentType.range(of: "boundary=") else { return [] }
        let boundary = contentType[mark.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" && $0 != " " }
        guard (1...70).contains(boundary.utf8.count) else { return [] }
        let delimiter = Array("--\(boundary)".utf8)
        var match = body.range(of: delimiter, from: 0)
        var (files, fallback): ([(bytes: [UInt8], name: String?)], (bytes: [UInt8], name: String?)?) = ([], nil)
        while let start = match?.upperBound {
            guard let end = body.range(of: Array("\r\n".utf8) + delimiter, from: start),
                let headerEnd = body.range(of: Array("\r\n\r\n".utf8), from: start),
                headerEnd.upperBound <= end.lowerBound
            else { break }
            let header = String(decoding: body[start..<headerEnd.lowerBound], as: UTF8.self)
            let content = Array(body[headerEnd.upperBound..<end.lowerBound])
            if let named = header.firstMatch(of: /filename="([^"]*)"/) {
                // A browser sends an empty one for a field in which no file was chosen.
                if !(named.1.isEmpty && content.isEmpty) { files.append((content, String(named.1))) }
            } else if header.contains("name=\"file\"") {
                fallback = (content, nil)
            }
            match = end
        }
        return files.isEmpty ? fallback.map { [$0] } ?? [] : files
    }
}

extension [UInt8] {
    fileprivate func range(of pattern: [UInt8], from start: Int) -> Range<Int>? {
        guard let first = pattern.first, pattern.count <= count else { return nil }
        var index = start
        while index + pattern.count <= count, let found = self[index...(count - pattern.count)].firstIndex(of: first) {
            if self[found..<found + pattern.count].elementsEqual(pattern) { return found..<found + pattern.count }
            index = found + 1
        }
        return nil
    }
}
