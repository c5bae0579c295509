import Foundation

/// Locks of the kernel, as `/proc/locks` lists them.
public enum FileLocks {
    /// The process that holds the `flock` of a file; `nil` when the kernel does not show one.
    public static func holder(of identity: FileIdentity) -> Int32? {
        guard let table = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else { return nil }
        return holder(of: identity, in: table)
    }

    /// Finds the holder in the text of `/proc/locks`, such as `1: FLOCK  ADVISORY  WRITE 812 08:01:131 0 EOF`.
    static func holder(of identity: FileIdentity, in table: String) -> Int32? {
        let device = identity.device
        // The bits of `dev_t` on Linux: 12 of the minor number around 12 of the major number, the rest of both above.
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & ~0xFF
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // A line of a process that waits has "->" as its second field.
            guard fields.count >= 6, fields[1] == "FLOCK", let process = Int32(fields[4]), process > 0 else { continue }
            let numbers = fields[5].split(separator: ":")
            guard numbers.count == 3, UInt64(numbers[0], radix: 16) == major, UInt64(numbers[1], radix: 16) == minor,
                UInt64(numbers[2]) == identity.inode
            else { continue }
            return process
        }
        return nil
    }
}
