import Foundation

/// Metrics of this process from `/proc`, under the names of Prometheus' client libraries.
enum ProcessReadings {
    struct Reading {
        let name: String
        let type: String
        let value: Double
    }

    /// Empty on systems without `/proc`.
    static func now() -> [Reading] {
        guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let end = stat.lastIndex(of: ")")
        else { return [] }
        // Fields of proc(5) from the third on: after the command's name, which can contain spaces and parentheses.
        let fields = stat[stat.index(after: end)...].split(separator: " ").map(String.init)
        guard fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]),
            let start = Double(fields[19]), let pages = Double(fields[21])
        else { return [] }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        var readings = [
            Reading(name: "process_cpu_seconds_total", type: "counter", value: (user + system) / ticks),
            Reading(
                name: "process_resident_memory_bytes", type: "gauge",
                value: pages * Double(sysconf(Int32(_SC_PAGESIZE)))),
        ]
        if let bytes = Double(fields[20]) {
            readings.append(Reading(name: "process_virtual_memory_bytes", type: "gauge", value: bytes))
        }
        if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            readings.append(Reading(name: "process_open_fds", type: "gauge", value: Double(files.count)))
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            readings.append(Reading(name: "process_max_fds", type: "gauge", value: Double(limit.rlim_cur)))
        }
        if let boot = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
            .split(separator: "\n").first(where: { $0.hasPrefix("btime ") }).flatMap({ Double($0.dropFirst(6)) })
        {
            readings.append(
                Reading(name: "process_start_time_seconds", type: "gauge", value: boot + start / ticks))
        }
        return readings
    }
}
