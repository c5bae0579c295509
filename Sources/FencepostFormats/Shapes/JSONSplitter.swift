/// Splits a JSON document of any size into the elements of its long arrays and the members around them, as bytes
/// arrive.
///
/// It validates the structure between the parts; a JSON parser validates the parts.
struct JSONSplitter {
    /// The bytes of one complete value.
    struct Part {
        /// The member's name; for an element that of its array, `nil` for an element of a top-level array.
        var name: String?
        var isElement: Bool
        /// Empty if the value exceeds the limit.
        var bytes: UnsafeBufferPointer<UInt8>
        var isTooLarge: Bool
        /// The start of the value, both from 1.
        var line, column: Int
    }

    /// The reason why the document cannot be split further.
    struct Problem {
        var line, column: Int
        var message: String
    }

    private enum State {
        case beforeRoot
        case beforeFirstName, beforeName, inName, afterName, beforeMember, afterMember
        case beforeFirstElement, beforeElement, afterElement
        case inValue
        case afterRoot
    }

    /// The state within a value: its brackets, and whether a string is open.
    private struct Scan {
        var depth = 0
        var isInString = false
        var isEscaped = false
        var isScalar = false
    }

    private let arrays: Set<String>
    private let limit: Int
    private var state = State.beforeRoot
    private var isRootArray = false
    private var isInArray = false
    private var name: [UInt8] = []
    private var isNameEscaped = false
    private var value: [UInt8] = []
    private var isTooLarge = false
    private var scan = Scan()
    private var (line, column) = (1, 0)
    private var start = (line: 1, column: 1)
    private var bytesSeen = 0
    private(set) var problem: Problem?
    /// Whether one of the arrays has begun.
    private(set) var hasArrays = false

    /// - Parameters:
    ///   - arrays: the members of the top-level object that are split into their elements.
    ///   - limit: the maximum number of bytes of one part.
    init(arrays: Set<String>, limit: Int = 16 << 20) {
        self.arrays = arrays
        self.limit = limit
    }

    mutating func feed(_ chunk: UnsafeBufferPointer<UInt8>, _ body: (Part) -> Void) {
        var index = 0
        while index < chunk.count, problem == nil {
            let byte = chunk[index]
            index += 1
            bytesSeen += 1
            // A byte order mark.
            if bytesSeen <= 3, byte == [0xEF, 0xBB, 0xBF][bytesSeen - 1] { continue }
            if byte == 0x0A {
                line += 1
                column = 0
            } else {
                column += 1
            }
            if state == .inValue {
                takeValueByte(byte, body)
            } else {
                takeStructuralByte(byte, body)
            }
        }
    }

    /// Ends the input; an incomplete document is a problem.
    mutating func finish() {
        guard problem == nil, state != .afterRoot else { return }
        fail(state == .beforeRoot ? "the document is empty" : "the document ends before it is complete")
    }

    private mutating func fail(_ message: String) {
        problem = Problem(line: line, column: max(1, column), message: message)
    }

    private mutating func takeValueByte(_ byte: UInt8, _ body: (Part) -> Void) {
        if scan.isInString {
            store(byte)
            if scan.isEscaped {
                scan.isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                scan.isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                scan.isInString = false
                if scan.depth == 0 { endValue(body) }
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""):
            scan.isInString = true
            store(byte)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            scan.depth += 1
            store(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if scan.isScalar && scan.depth == 0 {
                endValue(body)
                takeStructuralByte(byte, body)
                return
            }
            scan.depth -= 1
            store(byte)
            if scan.depth == 0 { endValue(body) }
        case UInt8(ascii: ",") where scan.depth == 0, 0x20 where scan.depth == 0, 0x09 where scan.depth == 0,
            0x0A where scan.depth == 0, 0x0D where scan.depth == 0:
            endValue(body)
            takeStructuralByte(byte, body)
        default: store(byte)
        }
    }

    private mutating func store(_ byte: UInt8) {
        guard !isTooLarge else { return }
        value.append(byte)
        if value.count > limit {
            isTooLarge = true
            value.removeAll(keepingCapacity: false)
        }
    }

    private mutating func endValue(_ body: (Part) -> Void) {
        let part = value
        let name = isInArray && isRootArray ? nil : String(decoding: self.name, as: UTF8.self)
        part.withUnsafeBufferPointer {
            body(
                Part(
                    name: name, isElement: isInArray, bytes: $0, isTooLarge: isTooLarge, line: start.line,
                    column: start.column))
        }
        value.removeAll(keepingCapacity: true)
        isTooLarge = false
        state = isInArray ? .afterElement : .afterMember
    }

    private mutating func beginValue(_ byte: UInt8, _ body: (Part) -> Void) {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"), UInt8(ascii: "]"):
            fail("a value is missing")
        default:
            start = (line, column)
            scan = Scan()
            scan.isScalar = byte != UInt8(ascii: "{") && byte != UInt8(ascii: "[") && byte != UInt8(ascii: "\"")
            state = .inValue
            takeValueByte(byte, body)
        }
    }

    private mutating func takeStructuralByte(_ byte: UInt8, _ body: (Part) -> Void) {
        if state == .inName {
            takeNameByte(byte)
            return
        }
        if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { return }
        switch (state, byte) {
        case (.beforeRoot, UInt8(ascii: "{")): state = .beforeFirstName
        case (.beforeRoot, UInt8(ascii: "[")):
            (isRootArray, isInArray, hasArrays) = (true, true, true)
            state = .beforeFirstElement
        case (.beforeRoot, _): fail("the document is neither an object nor an array")
        case (.beforeFirstName, UInt8(ascii: "}")), (.afterMember, UInt8(ascii: "}")): state = .afterRoot
        case (.beforeFirstName, UInt8(ascii: "\"")), (.beforeName, UInt8(ascii: "\"")):
            name.removeAll(keepingCapacity: true)
            state = .inName
        case (.beforeFirstName, _), (.beforeName, _): fail("the name of a member is missing, in double quotes")
        case (.afterName, UInt8(ascii: ":")): state = .beforeMember
        case (.afterName, _): fail("a colon is missing after the name of a member")
        case (.beforeMember, UInt8(ascii: "[")) where arrays.contains(String(decoding: name, as: UTF8.self)):
            (isInArray, hasArrays) = (true, true)
            state = .beforeFirstElement
        case (.beforeMember, _), (.beforeElement, _): beginValue(byte, body)
        case (.afterMember, UInt8(ascii: ",")): state = .beforeName
        case (.afterMember, _): fail("a comma or } is missing")
        case (.beforeFirstElement, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")):
            isInArray = false
            state = isRootArray ? .afterRoot : .afterMember
        case (.beforeFirstElement, _): beginValue(byte, body)
        case (.afterElement, UInt8(ascii: ",")): state = .beforeElement
        case (.afterElement, _): fail("a comma or ] is missing")
        case (.afterRoot, _): fail("there is more text after the end of the document")
        case (.inName, _), (.inValue, _): break
        }
    }

    private mutating func takeNameByte(_ byte: UInt8) {
        if isNameEscaped {
            isNameEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isNameEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            state = .afterName
            return
        } else if byte < 0x20 {
            fail("a name contains an unescaped control character")
        }
        // A name with escapes or above any sensible length is not one of the known names.
        if name.count < 256 { name.append(byte) }
    }
}
