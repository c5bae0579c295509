internal import FencepostJSON
internal import FencepostModel

/// What the documents of one format look like.
protocol DocumentShape {
    /// The members of the outermost object that hold the records.
    static var arrays: Set<String> { get }

    init()

    /// Takes an element of one of the arrays; `nil` is an array that is the document itself.
    mutating func take(_ element: JSONElement, of array: String?, into sink: inout RecordSink) throws(Rejection)

    /// Takes another member of the outermost object.
    mutating func take(member name: String, _ value: JSONElement)

    /// Takes the end of a document that is complete.
    ///
    /// - Parameter hasArrays: whether any of the arrays was there.
    /// - Throws: when the document is not of this format.
    mutating func finish(hasArrays: Bool, into sink: inout RecordSink) throws(Rejection)
}

/// A JSON document, of which no more than one record is held at a time.
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
        hand(to: &records)
    }

    func finish(into records: inout [Decoded]) {
        splitter.finish()
        hand(to: &records)
        guard failure == nil else { return }
        do throws(Rejection) {
            try shape.finish(hasArrays: splitter.hasArrays, into: &sink)
        } catch {
            failure = context.diagnostic(error, at: .file)
        }
        hand(to: &records)
    }

    private func hand(to records: inout [Decoded]) {
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
            let place = Diagnostic.Place.position(
                line: part.line + error.line - 1,
                column: error.line == 1 ? part.column + error.column - 1 : error.column)
            failure = context.diagnostic(Rejection(.invalidJSON, error.message), at: place)
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

    func take(member name: String, _ value: JSONElement) {}

    func finish(hasArrays: Bool, into sink: inout RecordSink) throws(Rejection) {
        guard hasArrays else {
            throw Rejection(.invalidShape, "the document has no array of locations")
        }
    }
}
