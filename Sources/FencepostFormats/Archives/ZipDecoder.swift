internal import FencepostModel

/// Decodes a zip archive: a KMZ, of which the first `.kml` is read, or an archive of location files, of which all are.
///
/// The contents are streamed. A broken file in an archive is reported, and the others are read.
final class ZipDecoder: RecordDecoder {
    /// Which entries are read.
    enum Selection {
        case firstKML
        case all
    }

    private let context: DecoderContext
    private let selection: Selection
    private var bytes: [UInt8] = []
    private var state = State.collecting
    private var limit = InflationLimit()
    /// The bytes of the archive.
    private var size = 0
    private var recordCount = 0
    private var filesRead = 0
    private(set) var failure: Diagnostic?

    private enum State {
        /// The archive is not complete.
        case collecting
        /// The indexes of the entries that are still to be read, the next one last.
        case between(ZipArchive, pending: [Int])
        case reading(ZipArchive, pending: [Int], ArchivedFile)
    }

    private static let archiveLimit = 256 << 20

    init(_ context: DecoderContext, selection: Selection) {
        self.context = context
        self.selection = selection
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        guard bytes.count + chunk.count <= ZipDecoder.archiveLimit else {
            bytes = []
            return fail(Rejection(.payloadTooLarge, "the archive has more than \(ZipDecoder.archiveLimit >> 20) MiB"))
        }
        bytes.append(contentsOf: chunk)
        size += chunk.count
    }

    func finish(into records: inout [Decoded]) {
        while !finishStep(into: &records) {}
    }

    /// Opens the archive with the first step, and inflates 256 KiB of a file with each other one.
    func finishStep(into records: inout [Decoded]) -> Bool {
        guard failure == nil else { return true }
        switch state {
        case .collecting:
            do throws(Rejection) {
                let archive = try ZipArchive(&bytes)
                state = .between(archive, pending: try selected(of: archive).reversed())
            } catch {
                fail(error)
            }
        case .between(let archive, var pending):
            guard let index = pending.popLast() else {
                if filesRead == 0 { fail(nothingFound(in: archive)) }
                return true
            }
            state = open(index, of: archive, pending, into: &records)
        case .reading(let archive, let pending, let file):
            if read(file, into: &records) { state = .between(archive, pending: pending) }
        }
        return failure != nil
    }

    private func fail(_ rejection: Rejection) {
        failure = failure ?? context.diagnostic(rejection, at: .file)
    }

    // MARK: Entries

    /// The indexes of the entries to read, in the order in which they are read.
    private func selected(of archive: ZipArchive) throws(Rejection) -> [Int] {
        let safe = archive.names.indices.filter { index in
            guard let name = archive.names[index], !name.hasPrefix("/"), !name.hasSuffix("/") else { return false }
            return !name.split(separator: "/").contains { $0 == ".." || $0 == "__MACOSX" || $0.hasPrefix(".") }
        }
        switch selection {
        case .firstKML:
            let first = safe.first { archive.names[$0]?.lowercased().hasSuffix(".kml") ?? false }
            guard let first else { throw Rejection(.invalidShape, "the archive contains no .kml file") }
            return [first]
        case .all:
            return safe.filter { archive.names[$0].map(ArchivedFile.isCandidate) ?? false }
                .sorted {
                    ArchivedFile.order(of: archive.names[$0] ?? "") < ArchivedFile.order(of: archive.names[$1] ?? "")
                }
        }
    }

    private func nothingFound(in archive: ZipArchive) -> Rejection {
        let names = archive.names.compactMap { $0 }.filter { !$0.hasSuffix("/") }
        let some = names.prefix(5).joined(separator: ", ")
        return Rejection(
            .invalidShape,
            "the archive contains no file with locations. It contains "
                + (names.isEmpty ? "nothing" : names.count > 5 ? "\(some) and \(names.count - 5) more" : some))
    }

    private func open(
        _ index: Int, of archive: ZipArchive, _ pending: [Int], into records: inout [Decoded]
    ) -> State {
        let name = archive.names[index] ?? ""
        do throws(Rejection) {
            return .reading(
                archive, pending: pending, ArchivedFile(name: name, entry: try archive.open(index), context))
        } catch {
            switch selection {
            case .firstKML: fail(Rejection(error.code, "\(name) in the archive: \(error.message)"))
            case .all: append([.rejected(context.diagnostic(error, at: .index(0)))], of: name, into: &records)
            }
            return .between(archive, pending: pending)
        }
    }

    /// - Returns: whether the file is complete, or cannot be read further.
    private func read(_ file: ArchivedFile, into records: inout [Decoded]) -> Bool {
        var found: [Decoded] = []
        var isComplete = false
        var problem: Rejection?
        for _ in 0..<4 where !isComplete && problem == nil {
            switch file.readNext(into: &found) {
            case .bytes(let count):
                do throws(Rejection) {
                    try limit.add(count, of: size)
                } catch {
                    fail(Rejection(error.code, "the archive, at \(file.name): \(error.message)"))
                    return true
                }
            case .end: isComplete = true
            case .failed(let rejection): problem = rejection
            }
        }
        file.count += found.count
        append(found, of: file.name, into: &records)
        if let problem {
            switch selection {
            case .firstKML: fail(Rejection(problem.code, "\(file.name) in the archive: \(problem.message)"))
            case .all where file.count > 0 || file.isCertain:
                append([.rejected(context.diagnostic(problem, at: .index(0)))], of: file.name, into: &records)
            case .all: return true  // Another kind of file, such as settings.
            }
        }
        if isComplete || problem != nil, file.count > 0 || file.isCertain { filesRead += 1 }
        return isComplete || problem != nil
    }

    /// Passes records on, with numbers that are unique in the archive.
    private func append(_ found: [Decoded], of name: String, into records: inout [Decoded]) {
        func numbered(_ position: Diagnostic.Position) -> Diagnostic.Position {
            guard case .index = position else { return position }
            defer { recordCount += 1 }
            return .index(recordCount)
        }
        for record in found {
            switch record {
            case .location(let location, let position): records.append(.location(location, at: numbered(position)))
            case .reported(let report, let position): records.append(.reported(report, at: numbered(position)))
            case .gap: records.append(.gap)
            case .rejected(var diagnostic):
                diagnostic.position = numbered(diagnostic.position)
                diagnostic.file = context.fileName
                if selection == .all { diagnostic.message = "\(name): \(diagnostic.message)" }
                records.append(.rejected(diagnostic))
            }
        }
    }
}
