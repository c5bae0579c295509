import FencepostModel
import FencepostRegionFiles

/// What a saved index says of its regions as a whole.
struct SavedMeta {
    var version: String
    var repair: Bool
    var idProperty: String?
    var radius: Double?
    var sources: [RegionSourceFile]
    var diagnostics: [Diagnostic]

    var bytes: [UInt8] {
        var encoder = ByteEncoder()
        encoder.append(version)
        encoder.append(repair ? 1 : 0)
        encoder.append(idProperty.map { [$0] } ?? []) { $0.append($1) }
        encoder.append(sources) { encoder, source in
            encoder.append(source.name)
            encoder.append(source.byteCount)
            encoder.append(fixed: source.hash)
        }
        encoder.append(diagnostics) { encoder, diagnostic in
            encoder.append(diagnostic.severity.rawValue)
            encoder.append(diagnostic.code)
            encoder.append(diagnostic.file.map { [$0] } ?? []) { $0.append($1) }
            encoder.append(diagnostic.message)
            encoder.append(diagnostic.position)
        }
        if let radius { encoder.append(fixed: radius.bitPattern) }
        return encoder.bytes
    }

    /// What an index of these files has, read in this way.
    init(version: String, options: RegionOptions, sources: [RegionSourceFile], diagnostics: [Diagnostic]) {
        (self.version, repair, idProperty) = (version, options.repair, options.idProperty)
        radius = options.radius
        (self.sources, self.diagnostics) = (sources, diagnostics)
    }

    /// `nil` for bytes that are not those of `bytes`.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var decoder = ByteDecoder(bytes)
        guard let version = decoder.text(), let repair = decoder.number() else { return nil }
        (self.version, self.repair) = (version, repair == 1)
        idProperty = decoder.list { $0.text() }.first
        sources = decoder.list { decoder in
            guard let name = decoder.text(), let byteCount = decoder.number(), let hash = decoder.fixed(UInt64.self)
            else { return nil }
            return RegionSourceFile(name: name, byteCount: byteCount, hash: hash)
        }
        diagnostics = decoder.list { decoder in
            guard let severity = decoder.text().flatMap(Diagnostic.Severity.init), let code = decoder.text() else {
                return nil
            }
            let file = decoder.list { $0.text() }.first
            guard let message = decoder.text(), let position = decoder.position() else { return nil }
            return Diagnostic(severity, code: code, file: file, at: position, message)
        }
        if !decoder.isAtEnd { radius = decoder.fixed(UInt64.self).map { Double(bitPattern: $0) } }
        guard decoder.isAtEnd else { return nil }
    }
}

extension ByteEncoder {
    /// The number of the case, then its values.
    fileprivate mutating func append(_ position: Diagnostic.Position) {
        switch position {
        case .file: append(0)
        case .line(let line):
            append(1)
            append(signed: Int64(line))
        case .position(let line, let column):
            append(2)
            append(signed: Int64(line))
            append(signed: Int64(column))
        case .index(let index):
            append(3)
            append(signed: Int64(index))
        case .pointer(let pointer):
            append(4)
            append(pointer)
        }
    }
}

extension ByteDecoder {
    fileprivate mutating func position() -> Diagnostic.Position? {
        func count() -> Int? { signed(within: .max).map { Int($0) } }
        switch number() {
        case 0: return .file
        case 1: return count().map { .line($0) }
        case 2:
            guard let line = count(), let column = count() else { return nil }
            return .position(line: line, column: column)
        case 3: return count().map { .index($0) }
        case 4: return text().map { .pointer($0) }
        default: return fail()
        }
    }
}
