import CZlib

/// Decompression of gzip and deflate up to a limit (rule L1).
enum Inflater {
    enum Failure: Error {
        case corrupt
        case tooLarge
    }

    /// Decompresses gzip, zlib or raw deflate.
    ///
    /// - Parameters:
    ///   - compressed: the whole body.
    ///   - limit: maximum bytes of the result. Decompression stops with an error when there are more.
    /// - Returns: the bytes of all members.
    /// - Throws: `corrupt` or `tooLarge`.
    static func inflate(_ compressed: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        // Window of 15 bits, plus 32: zlib detects gzip and zlib headers.
        do throws(Failure) {
            return try inflate(compressed, limit: limit, windowBits: 15 + 32)
        } catch .corrupt {
            // Some clients send `deflate` without the header of RFC 1950.
            return try inflate(compressed, limit: limit, windowBits: -15)
        }
    }

    private static func inflate(_ compressed: [UInt8], limit: Int, windowBits: Int32) throws(Failure) -> [UInt8] {
        var stream = z_stream()
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .corrupt
        }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var input = compressed
        let result = input.withUnsafeMutableBufferPointer { source -> Result<Void, Failure> in
            stream.next_in = source.baseAddress
            stream.avail_in = uInt(source.count)
            while true {
                var (status, count) = (Z_OK, 0)
                chunk.withUnsafeMutableBufferPointer { buffer in
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = uInt(buffer.count)
                    status = CZlib.inflate(&stream, Z_NO_FLUSH)
                    count = buffer.count - Int(stream.avail_out)
                }
                guard status == Z_OK || status == Z_STREAM_END else { return .failure(.corrupt) }
                guard output.count + count <= limit else { return .failure(.tooLarge) }
                output.append(contentsOf: chunk[..<count])
                if status == Z_STREAM_END {
                    guard stream.avail_in > 0 else { return .success(()) }
                    // A gzip file can have several members (RFC 1952, 2.2).
                    guard windowBits > 15, inflateReset(&stream) == Z_OK else { return .failure(.corrupt) }
                } else if count == 0, stream.avail_in == 0 {
                    return .failure(.corrupt)
                }
            }
        }
        try result.get()
        return output
    }
}
