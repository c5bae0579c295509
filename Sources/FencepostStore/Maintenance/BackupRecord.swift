import FencepostFiles
public import FencepostModel
import Foundation

/// When a database was copied last: a small file next to it, because the copying process only reads the database.
public enum BackupRecord {
    private static func path(of database: String) -> String { FileName.canonical(database) + ".last-backup" }

    /// The time of the last complete copy; `nil` when there was none, or its record cannot be read.
    public static func time(of database: String) -> Timestamp? {
        guard let text = try? String(contentsOfFile: path(of: database), encoding: .utf8) else { return nil }
        return Timestamp(rfc3339: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Records a copy.
    ///
    /// - Throws: an `OutputFileError` when the folder of the database is not writable for this user. The copy is complete
    ///   all the same.
    public static func note(_ time: Timestamp, of database: String) throws {
        try OutputFile(path(of: database), replacesExisting: true).write(Array("\(time.rfc3339)\n".utf8))
    }
}
