internal import CZlib

/// Inflates a gzip file piece by piece.
package final class Inflation {
    /// How the inflation of a file ended.
    package enum Outcome {
        /// At the end of the file, or where the receiver had enough.
        case complete
        /// The file is damaged or incomplete; what precedes the damage was given.
        case damaged
        /// It becomes more than `ratio` times its size.
        case tooLarge
    }

    /// The most bytes of the contents for each byte of the file, of what is beyond `free`: logs become 20 times smaller,
    /// deflate can do 1032.
    package static let ratio = 200
    /// Bytes of the contents to which the ratio does not apply.
    static let free = 16 << 20

    private let stream: UnsafeMutablePointer<z_stream>

    /// Fails when there is no memory.
    package init?() {
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
    /// - Returns: how it ended.
    package func inflate(_ bytes: [UInt8], into take: (ArraySlice<UInt8>) -> Bool) -> Outcome {
        var input = bytes
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        return input.withUnsafeMutableBufferPointer { input -> Outcome in
            var (offset, total) = (0, 0)
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
                total += made
                guard total <= Self.free || total / Self.ratio <= offset else { return .tooLarge }
                if made > 0, !take(chunk[..<made]) { return .complete }
                if status == Z_STREAM_END { return .complete }
                guard status == Z_OK || status == Z_BUF_ERROR, made > 0 || offset < input.count else { return .damaged }
            }
        }
    }
}
