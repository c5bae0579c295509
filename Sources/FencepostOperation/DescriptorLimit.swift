import Foundation

/// The number of files and connections that the process may have open.
public enum DescriptorLimit {
    /// Raises the limit to the largest one that the system allows the process (rule L9).
    ///
    /// Shells and systemd often start a process with 1024 and allow many more, because `select` cannot use them. The
    /// service uses `epoll`.
    ///
    /// - Returns: the limit; `Int.max` when there is none.
    public static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
