import CLinux
import Foundation

/// How the process returns memory to the system.
///
/// glibc gives every thread an arena of its own, up to eight per processor, and returns memory only from the end of one.
/// A service that sorts some hundred thousand locations every few minutes on changing threads so keeps several times what
/// it uses.
public enum ProcessMemory {
    /// Lets threads share arenas: one per processor, at least two. To be called before the first thread starts.
    public static func shareArenas() {
        _ = mallopt(M_ARENA_MAX, Int32(max(2, ProcessInfo.processInfo.activeProcessorCount)))
    }

    /// Returns memory that is not in use. Takes milliseconds; to be called after work that needed much.
    public static func returnUnused() { _ = malloc_trim(0) }
}
