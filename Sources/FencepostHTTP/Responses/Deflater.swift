import CZlib

/// Gzip compression, for files that are sent often.
package enum Deflater {
    /// Compresses the bytes to one gzip member (RFC 1952); `nil` when the result is not smaller.
    package static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 15 bits of window, plus 16 for gzip's header.
        let status = deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count)
        let isDone = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = uInt(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = uInt(target.count)
                return deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
        }
        // The output buffer is as large as the input: when it is full, the result is not smaller.
        guard isDone else { return nil }
        return Array(output.prefix(Int(stream.total_out)))
    }
}
