package import FencepostModel

/// What a document of XML means to a reader that takes it as a whole, under the limits of `XMLDecoder`.
package protocol XMLContent {
    /// The name of the root element.
    static var root: String { get }

    /// - Returns: whether the text of the element is needed.
    mutating func start(_ element: XMLElement) -> Bool

    /// Takes the end of an element, with the text directly in it if that was requested.
    mutating func end(_ name: String, text: String, line: Int)
}

extension XMLContent {
    /// Reads a document.
    ///
    /// - Parameters:
    ///   - bytes: the document.
    ///   - file: its name in the problem.
    /// - Returns: the problem that ended the reading; what precedes it was read.
    package mutating func read(_ bytes: [UInt8], file: String?) -> Diagnostic? {
        let context = DecoderContext(fileName: file, rules: FixRules())
        let decoder = XMLDecoder(context, shape: XMLContentShape(content: self))
        var records: [Decoded] = []
        bytes.withUnsafeBufferPointer { decoder.decode($0, into: &records) }
        decoder.finish(into: &records)
        if let read = (decoder.shape as? XMLContentShape<Self>)?.content { self = read }
        return decoder.failure
    }
}

/// Gives a document's elements to its content.
private struct XMLContentShape<Content: XMLContent>: XMLShape {
    static var root: String { Content.root }
    /// The coordinates of a large area are one text.
    static var textLimit: Int { 32 << 20 }

    var content: Content

    mutating func start(_ element: XMLElement, into sink: inout RecordSink) -> Bool { content.start(element) }

    mutating func end(_ name: String, text: [UInt8], line: Int, into sink: inout RecordSink) {
        content.end(name, text: String(decoding: text.trimmed, as: UTF8.self), line: line)
    }

    mutating func finish(into sink: inout RecordSink) {}
}
