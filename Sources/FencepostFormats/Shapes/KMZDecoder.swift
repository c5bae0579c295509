internal import CZip
internal import FencepostModel

/// Decodes KMZ: a zip archive, of which the first `.kml` is read.
///
/// Names in the archive never become paths. The archive is held in memory, because its directory is at its end; its
/// contents are streamed.
final class KMZDecoder: RecordDecoder {
    private let context: DecoderContext
    private let inner: XMLDecoder
    private var archive: [UInt8] = []
    private var ownFailure: Diagnostic?

    var failure: Diagnostic? { ownFailure ?? inner.failure }

    private static let archiveLimit = 64 << 20
    private static let inflatedLimit = 1 << 30
    private static let entryLimit: Int64 = 10_000

    init(_ context: DecoderContext) {
        self.context = context
        inner = XMLDecoder(context, shape: KMLShape())
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        guard archive.count + chunk.count <= KMZDecoder.archiveLimit else {
            archive = []
            fail(.payloadTooLarge, "the archive has more than 64 MiB")
            return
        }
        archive.append(contentsOf: chunk)
    }

    func finish(into records: inout [Decoded]) {
        archive.withUnsafeBytes { bytes in
            var error = zip_error_t()
            zip_error_init(&error)
            defer { zip_error_fini(&error) }
            guard let source = zip_source_buffer_create(bytes.baseAddress, zip_uint64_t(bytes.count), 0, &error) else {
                fail(.invalidShape, "the archive cannot be read: \(String(cString: zip_error_strerror(&error)))")
                return
            }
            // Takes ownership of the source only on success.
            guard let zip = zip_open_from_source(source, ZIP_RDONLY, &error) else {
                zip_source_free(source)
                fail(
                    .invalidShape,
                    "the archive is corrupt or incomplete: \(String(cString: zip_error_strerror(&error)))")
                return
            }
            defer { zip_discard(zip) }
            readFirstKML(of: zip, into: &records)
        }
    }

    private func fail(_ code: RejectionCode, _ message: String) {
        ownFailure = ownFailure ?? context.diagnostic(Rejection(code, message), at: .file)
    }

    private func readFirstKML(of zip: OpaquePointer, into records: inout [Decoded]) {
        let count = zip_get_num_entries(zip, 0)
        guard count <= KMZDecoder.entryLimit else {
            fail(.payloadTooLarge, "the archive has more than \(KMZDecoder.entryLimit) entries")
            return
        }
        for index in 0..<max(0, count) {
            guard let name = zip_get_name(zip, zip_uint64_t(index), 0).map({ String(cString: $0) }),
                name.lowercased().hasSuffix(".kml")
            else { continue }
            guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else { continue }
            guard let file = zip_fopen_index(zip, zip_uint64_t(index), 0) else {
                fail(.invalidShape, "\(name) in the archive cannot be read: \(String(cString: zip_strerror(zip)))")
                return
            }
            defer { zip_fclose(file) }
            inflate(file, named: name, into: &records)
            return
        }
        fail(.invalidShape, "the archive contains no .kml file")
    }

    private func inflate(_ file: OpaquePointer, named name: String, into records: inout [Decoded]) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var inflated = 0
        while inner.failure == nil {
            let count = buffer.withUnsafeMutableBytes { Int(zip_fread(file, $0.baseAddress, zip_uint64_t($0.count))) }
            guard count >= 0 else {
                fail(.invalidShape, "\(name) in the archive is corrupt")
                return
            }
            if count == 0 {
                inner.finish(into: &records)
                return
            }
            inflated += count
            guard inflated <= KMZDecoder.inflatedLimit else {
                fail(.payloadTooLarge, "\(name) in the archive has more than 1 GiB when inflated")
                return
            }
            buffer.withUnsafeBufferPointer {
                inner.decode(UnsafeBufferPointer(rebasing: $0[..<count]), into: &records)
            }
        }
    }
}
