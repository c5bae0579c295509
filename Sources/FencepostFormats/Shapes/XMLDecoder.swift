internal import CLibXML2
internal import FencepostModel

/// The start of an element.
package struct XMLElement {
    /// Without a prefix.
    package var name: String
    /// The namespace; empty for none.
    var namespace: String
    var attributes: [(name: String, value: [UInt8])]
    /// From 1.
    package var line: Int

    /// The attribute with this name; attributes of other namespaces have a prefix in their names.
    package subscript(name: String) -> [UInt8]? {
        attributes.first { $0.name == name }?.value
    }
}

/// The meaning of the elements of one format.
protocol XMLShape {
    /// The name of the root element.
    static var root: String { get }

    /// The most bytes of a text that are kept.
    static var textLimit: Int { get }

    /// - Returns: whether the text of the element is needed.
    mutating func start(_ element: XMLElement, into sink: inout RecordSink) -> Bool

    /// Takes the end of an element, with the text directly in it if that was requested.
    mutating func end(_ name: String, text: [UInt8], line: Int, into sink: inout RecordSink)

    /// The end of the document.
    mutating func finish(into sink: inout RecordSink)
}

extension XMLShape {
    /// Far above the length of any time or coordinate.
    static var textLimit: Int { 4096 }
}

/// Decodes an XML document with libxml2's push parser; it builds no tree.
final class XMLDecoder: RecordDecoder {
    private let context: DecoderContext
    private(set) var shape: any XMLShape
    private let rootName: String
    private let textLimit: Int
    private var sink: RecordSink
    /// Owned by this object. libxml2 keeps an unowned pointer to this object in it.
    private var parser: xmlParserCtxtPtr?
    private var depth = 0
    private var text: [UInt8] = []
    /// The depth of the element whose text is needed.
    private var wantedDepth = 0
    private var isAtEnd = false
    /// libxml2 gets blocks of a fixed size, because the position of its errors depends on how the input is divided.
    private var block: [UInt8] = []
    private(set) var failure: Diagnostic?
    /// White space before the document, which XML forbids and some programs write, is left out; the lines in it count.
    private var hasBegun = false
    private var skippedLines = 0

    private static let blockSize = 16_384

    // Limits of rule L8. libxml2 compares each attribute and namespace of an element with all others of it, and looks up
    // prefixes in all namespaces in scope, so without limits a small file takes minutes.

    /// Attributes of an element; with its namespace declarations.
    private static let attributeLimit = 64
    /// Namespace declarations in scope.
    private static let namespaceLimit = 64
    private static let depthLimit = 64
    /// Bytes of a name.
    private static let nameLimit = 256
    /// Bytes of a start tag, which libxml2 buffers until it is complete; so one too long is refused before its attributes
    /// are compared.
    private static let tagLimit = 16_384
    /// Bytes of a comment or a processing instruction, which are buffered too.
    private static let commentLimit = 1 << 20
    /// Namespace declarations of each open element.
    private var namespaceCounts: [Int] = []
    private var namespaces = 0

    init(_ context: DecoderContext, shape: some XMLShape) {
        self.context = context
        self.shape = shape
        rootName = type(of: shape).root
        textLimit = type(of: shape).textLimit
        sink = RecordSink(context)
        XMLDecoder.initialize
        var handler = xmlSAXHandler()
        handler.initialized = XML_SAX2_MAGIC
        handler.startElementNs = { context, name, _, namespace, namespaces, _, count, _, attributes in
            XMLDecoder.at(context)?.start(name, namespace, Int(namespaces), attributes, Int(count))
        }
        handler.endElementNs = { context, name, _, _ in XMLDecoder.at(context)?.end(name) }
        handler.characters = { context, text, count in XMLDecoder.at(context)?.append(text, Int(count)) }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = handler.characters
        handler.internalSubset = { context, name, _, _ in XMLDecoder.at(context)?.refuseDocumentType(name) }
        handler.serror = { context, error in XMLDecoder.at(context)?.take(error) }
        parser = xmlCreatePushParserCtxt(&handler, Unmanaged.passUnretained(self).toOpaque(), nil, 0, nil)
        guard let parser else { fatalError("no memory for an XML parser") }
        xmlCtxtUseOptions(parser, Int32(XML_PARSE_NONET.rawValue))
    }

    deinit {
        xmlFreeParserCtxt(parser)
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        var rest = chunk[...]
        if !hasBegun {
            let start = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
            skippedLines += rest[..<start.startIndex].count { $0 == 0x0A }
            hasBegun = !start.isEmpty
            rest = start
        }
        while failure == nil, !rest.isEmpty {
            let part = rest.prefix(XMLDecoder.blockSize - block.count)
            block.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
            if block.count == XMLDecoder.blockSize { parseBlock() }
        }
        flushSink(to: &records)
    }

    func finish(into records: inout [Decoded]) {
        if failure == nil { parseBlock() }
        if failure == nil {
            isAtEnd = true
            _ = xmlParseChunk(parser, nil, 0, 1)
        }
        if failure == nil { shape.finish(into: &sink) }
        flushSink(to: &records)
    }

    private func parseBlock() {
        block.withUnsafeBufferPointer { block in
            block.withMemoryRebound(to: CChar.self) { _ = xmlParseChunk(parser, $0.baseAddress, Int32($0.count), 0) }
        }
        block.removeAll(keepingCapacity: true)
        checkPending()
    }

    /// Refuses a tag or a comment that is too long, before more of it is given to libxml2.
    private func checkPending() {
        guard failure == nil, let input = parser?.pointee.input, let next = input.pointee.cur,
            let end = input.pointee.end
        else { return }
        let pending = end - next
        guard pending > XMLDecoder.tagLimit else { return }
        let isTag = next[0] == UInt8(ascii: "<") && next[1] != UInt8(ascii: "!") && next[1] != UInt8(ascii: "?")
        if isTag {
            fail(
                "an element's start tag is longer than \(XMLDecoder.tagLimit) bytes: it has too many or too long "
                    + "attributes")
        } else if pending > XMLDecoder.commentLimit {
            fail("a comment or instruction is longer than \(XMLDecoder.commentLimit) bytes: remove it")
        }
    }

    /// Counts a new element; fails when it exceeds a limit.
    private func countElement(_ name: String, attributes: Int, namespaces added: Int) {
        namespaceCounts.append(added)
        namespaces += added
        if attributes + added > XMLDecoder.attributeLimit {
            fail(
                "the element \(name.prefix(64)) has \(attributes + added) attributes, and an element may have at most "
                    + "\(XMLDecoder.attributeLimit)")
        } else if namespaceCounts.count > XMLDecoder.depthLimit {
            fail("elements are nested deeper than \(XMLDecoder.depthLimit)")
        } else if namespaces > XMLDecoder.namespaceLimit {
            fail("more than \(XMLDecoder.namespaceLimit) namespaces are declared for one element")
        } else if name.utf8.count > XMLDecoder.nameLimit {
            fail("an element's name is longer than \(XMLDecoder.nameLimit) bytes")
        }
    }

    /// libxml2 has global tables, which must be initialised before a second thread uses it.
    private static let initialize: Void = xmlInitParser()

    private static func at(_ context: UnsafeMutableRawPointer?) -> XMLDecoder? {
        context.map { Unmanaged<XMLDecoder>.fromOpaque($0).takeUnretainedValue() }
    }

    private func flushSink(to records: inout [Decoded]) {
        records.append(contentsOf: sink.records)
        sink.records.removeAll(keepingCapacity: true)
    }

    private var line: Int {
        guard let input = parser?.pointee.input else { return 1 }
        return skippedLines + Int(input.pointee.line)
    }

    private func fail(_ message: String, line: Int? = nil) {
        guard failure == nil else { return }
        failure = context.diagnostic(Rejection(.invalidShape, message), at: .line(max(1, line ?? self.line)))
        xmlStopParser(parser)
    }

    private func start(
        _ name: UnsafePointer<xmlChar>?, _ namespace: UnsafePointer<xmlChar>?, _ namespaceCount: Int,
        _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ count: Int
    ) {
        guard failure == nil, let name else { return }
        var element = XMLElement(
            name: String(cString: name), namespace: namespace.map { String(cString: $0) } ?? "", attributes: [],
            line: line)
        if depth == 0, element.name != rootName {
            fail("the outermost element is \(element.name), not \(rootName)\(Self.hint(forRoot: element.name))")
            return
        }
        countElement(element.name, attributes: count, namespaces: namespaceCount)
        guard failure == nil else { return }
        if let attributes {
            // Five pointers each: name, prefix, namespace, the value's start and its end.
            for index in 0..<count {
                guard let name = attributes[5 * index], let start = attributes[5 * index + 3],
                    let end = attributes[5 * index + 4]
                else { continue }
                let prefix = attributes[5 * index + 1].map { String(cString: $0) + ":" } ?? ""
                element.attributes.append(
                    (prefix + String(cString: name), Array(UnsafeBufferPointer(start: start, count: end - start))))
            }
        }
        depth += 1
        text.removeAll(keepingCapacity: true)
        wantedDepth = shape.start(element, into: &sink) ? depth : 0
    }

    private func end(_ name: UnsafePointer<xmlChar>?) {
        guard failure == nil, let name else { return }
        let isWanted = wantedDepth == depth
        depth -= 1
        namespaces -= namespaceCounts.popLast() ?? 0
        shape.end(String(cString: name), text: isWanted ? text : [], line: line, into: &sink)
        if isWanted { wantedDepth = 0 }
    }

    private func append(_ bytes: UnsafePointer<xmlChar>?, _ count: Int) {
        guard let bytes, wantedDepth == depth, wantedDepth > 0, text.count < textLimit else { return }
        text.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    }

    private func refuseDocumentType(_ name: UnsafePointer<xmlChar>?) {
        if let name, String(cString: name).lowercased() == "html" {
            fail("this is a page of HTML, not \(rootName)\(Self.hint(forRoot: "html"))")
            return
        }
        fail("the document has a DOCTYPE, which could read files or exhaust memory: remove it")
    }

    private func take(_ error: xmlErrorPtr?) {
        // Errors below fatal, such as a prefix without a namespace, leave the document readable.
        guard let error = error?.pointee, error.level == XML_ERR_FATAL, failure == nil else { return }
        // libxml2's messages at the end of the input are misleading.
        if isAtEnd {
            fail(depth > 0 ? "the document ends before it is complete" : "the document is empty or not XML")
            return
        }
        let message = error.message.map { String(cString: $0) } ?? ""
        let first = message.prefix { $0 != "\n" }
        fail("invalid XML: \(first)\(Self.hint(for: error.code))", line: skippedLines + Int(error.line))
    }

    /// What a document of another kind is, and how to get what is read.
    private static func hint(forRoot name: String) -> String {
        switch name {
        case "TrainingCenterDatabase": ": this is TCX of a sports watch, name it .tcx, or choose its format"
        case "html", "HTML": ": such a page is often an error or a login of the site, so load the file again"
        case "osm": ": this is a map of OpenStreetMap, not a track"
        case "LandXML", "FeatureCollection", "wfs:FeatureCollection": ": convert it first (ogr2ogr -f GeoJSON)"
        default: ""
        }
    }

    /// How to mend what libxml2 finds.
    private static func hint(for code: Int32) -> String {
        switch code {
        case Int32(XML_ERR_DOCUMENT_END.rawValue): ": a second document follows, divide the file there"
        case Int32(XML_ERR_DOCUMENT_EMPTY.rawValue):
            ": the file does not begin with <, so its content may be of another format than its name says; choose it by format"
        case Int32(XML_ERR_INVALID_CHAR.rawValue), Int32(XML_ERR_INVALID_ENCODING.rawValue):
            ": the first line may have to declare another encoding, as in <?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"
        default: ""
        }
    }
}
