internal import FencepostJSON
internal import FencepostModel

/// The structure of one JSON format.
protocol DocumentShape {
    /// The members of the top-level object that contain the records.
    static var arrays: Set<String> { get }

    init()

    /// Takes an element of one of the arrays; `array` is `nil` if the array is the document itself.
    mutating func take(_ element: JSONElement, of array: String?, into sink: inout RecordSink) throws(Rejection)

    /// Takes another member of the top-level object.
    mutating func take(member name: String, _ value: JSONElement)

    /// Takes the end of a complete document. `hasArrays` is whether any of the arrays occurred.
    ///
    /// - Throws: if the document is not of this format.
    mutating func finish(hasArrays: Bool, into sink: inout RecordSink) throws(Rejection)
}

/// Decodes a JSON document with at most one record in memory.
final class JSONDocumentDecoder<Shape: DocumentShape>: RecordDecoder {
    private let context: DecoderContext
    private var splitter = JSONSplitter(arrays: Shape.arrays)
    private var parser = JSONParser()
    private var shape = Shape()
    private var sink: RecordSink
    private(set) var failure: Diagnostic?

    init(_ context: DecoderContext) {
        self.context = context
        sink = RecordSink(context)
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        splitter.feed(chunk) { take($0) }
        flushSink(to: &records)
    }

    func finish(into records: inout [Decoded]) {
        splitter.finish()
        flushSink(to: &records)
        guard failure == nil else { return }
        do throws(Rejection) {
            try shape.finish(hasArrays: splitter.hasArrays, into: &sink)
        } catch {
            failure = context.diagnostic(error, at: .file)
        }
        flushSink(to: &records)
    }

    private func flushSink(to records: inout [Decoded]) {
        records.append(contentsOf: sink.records)
        sink.records.removeAll(keepingCapacity: true)
        if failure == nil, let problem = splitter.problem {
            failure = context.diagnostic(
                Rejection(.invalidJSON, problem.message), at: .position(line: problem.line, column: problem.column))
        }
    }

    private func take(_ part: JSONSplitter.Part) {
        guard failure == nil else { return }
        guard !part.isTooLarge else {
            let rejection = Rejection(.payloadTooLarge, "one value of the document has more than 16 MiB")
            if part.isElement {
                sink.append(rejection)
            } else {
                failure = context.diagnostic(rejection, at: .position(line: part.line, column: part.column))
            }
            return
        }
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try parser.parse(part.bytes)
        } catch {
            let position = Diagnostic.Position.position(
                line: part.line + error.line - 1,
                column: error.line == 1 ? part.column + error.column - 1 : error.column)
            failure = context.diagnostic(Rejection(.invalidJSON, error.message), at: position)
            return
        }
        guard part.isElement else {
            shape.take(member: part.name ?? "", document.root)
            return
        }
        do throws(Rejection) {
            try shape.take(document.root, of: part.name, into: &sink)
        } catch {
            sink.append(error)
        }
    }
}

/// Fencepost's own document: `{"locations":[…]}`, or the array alone.
struct NativeDocument: DocumentShape {
    static let arrays: Set<String> = ["locations"]

    func take(_ element: JSONElement, of array: String?, into sink: inout RecordSink) throws(Rejection) {
        sink.append(try RawFix(native: element, names: &sink.names))
    }

    /// The names of other members, for a message.
    private var others: [String] = []

    mutating func take(member name: String, _ value: JSONElement) {
        if others.count < 5, name.count <= 40 { others.append(name) }
    }

    func finish(hasArrays: Bool, into sink: inout RecordSink) throws(Rejection) {
        guard !hasArrays else { return }
        let message = "the document has no array of locations"
        if others.contains("timelineItems") || others.contains("samples") {
            throw Rejection(.invalidShape, message + ": this is JSON of Arc Timeline, choose the format arc")
        }
        let names = others.map { "\"\($0)\"" }.joined(separator: ", ")
        throw Rejection(.invalidShape, names.isEmpty ? message : message + ": its members are \(names)")
    }
}
