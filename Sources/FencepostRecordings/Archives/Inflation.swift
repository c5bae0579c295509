internal import CZlib

/// Inflates a gzip file piece by piece.
final class Inflation {
    private let stream: UnsafeMutablePointer<z_stream>

    /// Fails when there is no memory.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 bits of window; 32 more recognise the header of gzip and of zlib.
        guard inflateInit2_(stream, 47, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Inflates a whole file.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - take: receives pieces of the contents; returns whether to go on.
    /// - Returns: whether the file is complete and valid, or was left early.
    func inflate(_ bytes: [UInt8], into take: (ArraySlice<UInt8>) -> Bool) -> Bool {
        var input = bytes
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        return input.withUnsafeMutableBufferPointer { input -> Bool in
            var offset = 0
            while true {
                let count = min(input.count - offset, 1 << 24)
                stream.pointee.next_in = input.baseAddress.map { $0 + offset }
                stream.pointee.avail_in = UInt32(count)
                let (status, made) = chunk.withUnsafeMutableBufferPointer { chunk -> (Int32, Int) in
                    stream.pointee.next_out = chunk.baseAddress
                    stream.pointee.avail_out = UInt32(chunk.count)
                    let status = CZlib.inflate(stream, Z_NO_FLUSH)
                    return (status, chunk.count - Int(stream.pointee.avail_out))
                }
                offset += count - Int(stream.pointee.avail_in)
                if made > 0, !take(chunk[..<made]) { return true }
                if status == Z_STREAM_END { return true }
                guard status == Z_OK || status == Z_BUF_ERROR, made > 0 || offset < input.count else { return false }
            }
        }
    }
}
