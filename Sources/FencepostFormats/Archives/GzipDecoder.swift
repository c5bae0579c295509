internal import CZlib
internal import FencepostModel

/// Decodes a gzip file (RFC 1952) with the content of any other format.
final class GzipDecoder: RecordDecoder {
    private let context: DecoderContext
    private let inner: DetectingDecoder
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOpen: Bool
    /// Whether the last member is complete.
    private var isAtEnd = false
    private var limit = InflationLimit()
    /// Compressed bytes before the present chunk.
    private var bytesRead = 0
    private var ownFailure: Diagnostic?

    var failure: Diagnostic? { ownFailure ?? inner.failure }

    init(_ context: DecoderContext) {
        self.context = context
        var content = context
        if let name = context.fileName, name.lowercased().hasSuffix(".gz") {
            content.fileName = String(name.dropLast(3))
        }
        inner = DetectingDecoder(content)
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Window of 15 bits, plus 16 for gzip's header.
        isOpen = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        if !isOpen { fail(.invalidShape, "no memory to inflate the file") }
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    private func fail(_ code: RejectionCode, _ message: String) {
        ownFailure = ownFailure ?? context.diagnostic(Rejection(code, message), at: .file)
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        guard failure == nil, !chunk.isEmpty else { return }
        defer { bytesRead += chunk.count }
        // zlib does not change its input; its declaration is older than const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: chunk.baseAddress)
        stream.pointee.avail_in = uInt(chunk.count)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while failure == nil, stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0 {
            if isAtEnd {
                // A file can have several members. What follows a member and is not one is padding.
                guard stream.pointee.avail_in > 0, stream.pointee.next_in.pointee == 0x1F,
                    inflateReset(stream) == Z_OK
                else { return }
                isAtEnd = false
            }
            let count = inflateNext(into: &buffer)
            guard count > 0 else {
                if !isAtEnd { return }
                continue
            }
            do throws(Rejection) {
                try limit.add(count, of: bytesRead + chunk.count - Int(stream.pointee.avail_in))
            } catch {
                return fail(error.code, "the file: \(error.message)")
            }
            buffer.withUnsafeBufferPointer {
                inner.decode(UnsafeBufferPointer(rebasing: $0[..<count]), into: &records)
            }
        }
    }

    /// - Returns: the number of inflated bytes.
    private func inflateNext(into buffer: inout [UInt8]) -> Int {
        buffer.withUnsafeMutableBufferPointer { buffer in
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = uInt(buffer.count)
            switch inflate(stream, Z_NO_FLUSH) {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: isAtEnd = true
            default: fail(.invalidShape, "the gzip file is corrupt")
            }
            return buffer.count - Int(stream.pointee.avail_out)
        }
    }

    func finish(into records: inout [Decoded]) {
        guard failure == nil else { return }
        guard isAtEnd else { return fail(.invalidShape, "the gzip file ends before it is complete") }
        inner.finish(into: &records)
    }
}
