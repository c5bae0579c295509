internal import CZlib

/// Decompression of gzip (RFC 1952).
enum Gzip {
    /// The content of a gzip file; `nil` when it is damaged or longer than the limit in bytes.
    static func inflate(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var stream = z_stream()
        // 15 bits of window; 32 more recognise the header of gzip and of zlib.
        guard inflateInit2_(&stream, 47, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var input = bytes
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        return input.withUnsafeMutableBufferPointer { input -> [UInt8]? in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            while true {
                let (status, count) = chunk.withUnsafeMutableBufferPointer { chunk -> (Int32, Int) in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                    return (status, chunk.count - Int(stream.avail_out))
                }
                output += chunk.prefix(count)
                guard output.count <= limit else { return nil }
                if status == Z_STREAM_END { return output }
                guard status == Z_OK, count > 0 || stream.avail_in > 0 else { return nil }
            }
        }
    }
}
