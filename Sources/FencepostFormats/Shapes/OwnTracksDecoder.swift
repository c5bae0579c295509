internal import FencepostJSON
internal import FencepostModel

/// Decodes OwnTracks: lines of JSON, or of the Recorder's `.rec` (time of arrival, tab, kind, tab, JSON).
final class OwnTracksDecoder: RecordDecoder {
    private let context: DecoderContext
    private var splitter = LineSplitter()
    private var names = DeviceNames()
    private var parser = JSONParser()
    /// From the path, if it is in the Recorder's store.
    private let device: DeviceID?

    var failure: Diagnostic? { nil }

    init(_ context: DecoderContext) {
        self.context = context
        device = context.fileName.flatMap { OwnTracksDecoder.device(path: $0) }
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        splitter.feed(chunk) { take($0, into: &records) }
    }

    func finish(into records: inout [Decoded]) {
        splitter.finish { take($0, into: &records) }
    }

    /// `…/rec/user/device/2026-03.rec`.
    private static func device(path: String) -> DeviceID? {
        let parts = path.split(separator: "/")
        guard parts.count >= 4, parts[parts.count - 4] == "rec", path.hasSuffix(".rec") else { return nil }
        return try? DeviceID(validating: "\(parts[parts.count - 3])/\(parts[parts.count - 2])")
    }

    private func take(_ line: LineSplitter.Line, into records: inout [Decoded]) {
        let position = Diagnostic.Position.line(line.number)
        guard !line.isTooLong else {
            records.append(
                context.rejected(Rejection(.payloadTooLarge, "the line is longer than 64 KiB"), at: position))
            return
        }
        guard !line.isBlank else { return }
        do throws(Rejection) {
            guard let payload = try payload(of: line.bytes) else { return }
            switch try OwnTracksPayload(payload, device: device, rules: context.rules, names: &names) {
            case .fix(let raw): records.append(context.decoded(raw, at: position))
            case .reports(let reports):
                for report in reports {
                    switch report {
                    case .success(let report): records.append(.reported(report, at: position))
                    case .failure(let rejection): records.append(context.rejected(rejection, at: position))
                    }
                }
            case .other: break
            }
        } catch {
            records.append(context.rejected(error, at: position))
        }
    }

    /// - Returns: `nil` for a line of the Recorder without JSON that is not marked as a location.
    private func payload(of line: UnsafeBufferPointer<UInt8>) throws(Rejection) -> JSONElement? {
        var json = line[...]
        var isLocation = true
        if line.first != UInt8(ascii: "{") {
            let fields = line.split(separator: 0x09, maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else {
                throw Rejection(.invalidShape, "the line is neither JSON nor three fields separated by tabs")
            }
            isLocation = fields[1].trimmed.elementsEqual([UInt8(ascii: "*")])
            json = fields[2]
        }
        do throws(JSONSyntaxError) {
            return try parser.parse(UnsafeBufferPointer(rebasing: json)).root
        } catch {
            if !isLocation { return nil }
            throw Rejection(.invalidJSON, "column \(json.startIndex + error.column): \(error.message)")
        }
    }
}
