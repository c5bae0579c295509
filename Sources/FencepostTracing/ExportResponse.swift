/// What a receiver answers with a status of 2xx: an `ExportTraceServiceResponse` of OTLP 1.
public struct ExportResponse: Hashable, Sendable {
    /// The number of spans that it has not taken.
    public private(set) var rejectedSpans = 0
    /// Why, in the receiver's words.
    public private(set) var message = ""

    /// Reads a response. Of one that is not in the format, nothing is known: the receiver has taken all.
    public init(_ bytes: [UInt8]) {
        for case .bytes(1, let partial) in Fields(bytes[...]) {
            for field in Fields(partial) {
                switch field {
                case .number(1, let count): rejectedSpans = Int(clamping: count)
                case .bytes(2, let text): message = String(decoding: text, as: UTF8.self)
                case .number, .bytes: break
                }
            }
        }
    }

    private enum Field {
        case number(UInt64, UInt64)
        case bytes(UInt64, ArraySlice<UInt8>)
    }

    /// The fields of a message up to its end, or to the first that is damaged or of another type.
    private struct Fields: Sequence, IteratorProtocol {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        mutating func next() -> Field? {
            guard let tag = varint() else { return nil }
            switch tag & 7 {
            case 0: return varint().map { .number(tag >> 3, $0) }
            case 2:
                guard let count = varint(), count <= UInt64(rest.count) else { return nil }
                defer { rest = rest.dropFirst(Int(count)) }
                return .bytes(tag >> 3, rest.prefix(Int(count)))
            default: return nil
            }
        }

        private mutating func varint() -> UInt64? {
            var number: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard let byte = rest.popFirst() else { return nil }
                number |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { return number }
            }
            return nil
        }
    }
}
