public import Metrics
import Synchronization

/// A backend of swift-metrics that exports Prometheus' text format (rule O6).
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/ Timers and aggregating recorders become histograms of
/// seconds, the names of which end in `_seconds`; plain recorders and meters become gauges.
public final class PrometheusMetrics: MetricsFactory, Sendable {
    /// Upper bounds of histogram buckets in seconds: from a fast evaluation to the timeout of a webhook attempt.
    static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]

    struct Key: Hashable, Comparable {
        let name: String
        /// `a="b",c="d"`, escaped.
        let labels: String

        static func < (a: Key, b: Key) -> Bool { (a.name, a.labels) < (b.name, b.labels) }
    }

    private struct State {
        var counters: [Key: PrometheusCounter] = [:]
        var gauges: [Key: PrometheusGauge] = [:]
        var histograms: [Key: PrometheusHistogram] = [:]
    }

    private let state = Mutex(State())
    private let help: [String: String]

    /// - Parameter help: description of each metric by name.
    public init(help: [String: String] = PrometheusMetrics.help) {
        self.help = help
    }

    private func key(_ label: String, _ dimensions: [(String, String)]) -> Key {
        let labels = dimensions.map { name, value in
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(name)=\"\(escaped)\""
        }
        return Key(name: label, labels: labels.joined(separator: ","))
    }

    /// The metric with this name and labels, which is created on first use.
    private func metric<Metric: Sendable>(
        _ label: String, _ dimensions: [(String, String)], in metrics: WritableKeyPath<State, [Key: Metric]>,
        make: () -> Metric
    ) -> Metric {
        let key = key(label, dimensions)
        return state.withLock { state in
            if let known = state[keyPath: metrics][key] { return known }
            let made = make()
            state[keyPath: metrics][key] = made
            return made
        }
    }

    /// The counter with this name and labels, which is created on first use.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        metric(label, dimensions, in: \.counters) { PrometheusCounter() }
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> PrometheusGauge {
        metric(label, dimensions, in: \.gauges) { PrometheusGauge() }
    }

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> PrometheusHistogram {
        metric(label, dimensions, in: \.histograms) { PrometheusHistogram() }
    }

    /// The gauge with this name and labels, which is created on first use.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    /// A histogram if values are aggregated, otherwise a gauge of the last value.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate ? histogram(label, dimensions) as any RecorderHandler : gauge(label, dimensions)
    }

    /// The histogram with this name and labels, which is created on first use.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions)
    }

    /// Does nothing: metrics are never removed, since the number of label sets is small and fixed.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing, like `destroyCounter(_:)`.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Removes a gauge: what it was about is no more. A histogram stays, like a counter.
    public func destroyRecorder(_ handler: any RecorderHandler) {
        guard let gauge = handler as? PrometheusGauge else { return }
        state.withLock { state in state.gauges = state.gauges.filter { $0.value !== gauge } }
    }
    /// Does nothing, like `destroyCounter(_:)`.
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// The body of `GET /metrics`, including metrics of the process.
    public func text() -> String {
        let (counters, gauges, histograms) = state.withLock { ($0.counters, $0.gauges, $0.histograms) }
        var text = ""
        var last = ""
        func head(_ name: String, _ type: String) {
            guard name != last else { return }
            last = name
            if let line = help[name] { text += "# HELP \(name) \(line)\n" }
            text += "# TYPE \(name) \(type)\n"
        }
        func sample(_ key: Key, suffix: String = "", extra: String = "", _ value: String) {
            let labels = [key.labels, extra].filter { !$0.isEmpty }.joined(separator: ",")
            text += key.name + suffix + (labels.isEmpty ? "" : "{\(labels)}") + " \(value)\n"
        }
        for (key, counter) in counters.sorted(by: { $0.key < $1.key }) {
            head(key.name, "counter")
            sample(key, "\(counter.value)")
        }
        for (key, gauge) in gauges.sorted(by: { $0.key < $1.key }) {
            head(key.name, "gauge")
            sample(key, Self.number(gauge.value))
        }
        for (key, histogram) in histograms.sorted(by: { $0.key < $1.key }) {
            head(key.name, "histogram")
            let values = histogram.values
            var sum = 0
            for (bound, count) in zip(Self.bounds, values.buckets) {
                sum += count
                sample(key, suffix: "_bucket", extra: "le=\"\(Self.number(bound))\"", "\(sum)")
            }
            sample(key, suffix: "_bucket", extra: "le=\"+Inf\"", "\(values.count)")
            sample(key, suffix: "_sum", Self.number(values.sum))
            sample(key, suffix: "_count", "\(values.count)")
        }
        for reading in ProcessReadings.now() {
            head(reading.name, reading.type)
            sample(Key(name: reading.name, labels: ""), Self.number(reading.value))
        }
        return text
    }

    private static func number(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// Descriptions of Fencepost's metrics.
    public static let help: [String: String] = [
        "fencepost_ingest_locations_total": "Received locations, by format and outcome.",
        "fencepost_ingest_request_duration_seconds": "Time from a request to its response, on ingest routes.",
        "fencepost_http_requests_total":
            "Requests, by method, route (\"none\" without one) and class of status: 2xx, 3xx, 4xx, 5xx.",
        "fencepost_http_connections": "Open connections of the HTTP API.",
        "fencepost_http_connections_shed_total":
            "Connections that were closed or refused because of a limit, by reason: total, address, descriptors.",
        "fencepost_stream_readers": "Readers of the event stream.",
        "fencepost_streams_refused_total": "Readers of the event stream that were refused because of a limit.",
        "fencepost_unwritable_numbers_total":
            "Numbers of responses that JSON cannot hold (NaN, infinite): null was sent in their place.",
        "fencepost_dropped_members_total":
            "Members that locations were stored without, because they were beyond their ranges, by member.",
        "fencepost_events_total": "Events, by type.",
        "fencepost_evaluation_duration_seconds": "Time to evaluate one group of submissions.",
        "fencepost_second_phone_locations_total":
            "Locations of ids that two phones have, by how they go back and forth.",
        "fencepost_event_delay_seconds": "Time from the arrival of a location until its event is on disk.",
        "fencepost_history_locations_total": "Locations that were evaluated again.",
        "fencepost_history_events_total": "Events that evaluations of the past have stored.",
        "fencepost_webhook_attempts_total": "Attempts to deliver webhooks, by outcome.",
        "fencepost_webhook_attempt_duration_seconds": "Duration of a delivery attempt.",
        "fencepost_webhook_expired_total": "Messages that were not sent, since they were older than maximumAge.",
        "fencepost_webhook_pending": "Pending deliveries.",
        "fencepost_webhook_oldest_pending_seconds": "Age of the oldest pending delivery.",
        "fencepost_endpoints": "Endpoints, by state.",
        "fencepost_quarantine_total": "Records that were not stored, by code.",
        "fencepost_clock_offset_seconds": "Wall clock minus the time of the service.",
        "fencepost_clock_believable": "0 while the system's clock is not set and locations are refused; 1 otherwise.",
        "fencepost_mqtt_connected": "1 while the MQTT broker is connected; 0 otherwise.",
        "fencepost_retention_held": "1 while a clock that may be wrong delays retention; 0 otherwise.",
        "fencepost_retention_last_run_timestamp_seconds": "When retention ran last.",
        "fencepost_database_bytes": "Size of the database file.",
        "fencepost_wal_bytes": "Size of the write-ahead log.",
        "fencepost_storage_free_bytes": "Free space on the disk of the database.",
        "fencepost_backup_last_timestamp_seconds":
            "When `fencepost backup` last copied the database; 0 if it never did.",
        "fencepost_set_aside": "Devices and imports that are not worked on, since their work ended the process.",
        "fencepost_storage_failures_total": "Commits that failed.",
        "fencepost_cluster_leader": "1 on the node that leads, by part; 0 otherwise.",
        "fencepost_cluster_copy": "1 where the node follows or leads with a copy, by part; 0 otherwise.",
        "fencepost_cluster_log_position": "The newest record of the log that the copy has applied, by part.",
        "fencepost_cluster_takeovers_total": "How often this node began to lead, by part.",
        "fencepost_cluster_divergence_total":
            "Events that differ between this node's evaluation and the leader's, by part.",
        "fencepost_cluster_foreign_records_total":
            "Records in the log that no node of the cluster wrote, by part. They are skipped.",
        "fencepost_cluster_set_aside_records_total":
            "Records that this node does not apply, since they ended its process repeatedly, by part.",
        "fencepost_cluster_forwarded_requests_total": "Requests that this node sent on to the leader.",
        "fencepost_cluster_decoded_requests_total":
            "Requests whose locations this node decoded and the leader stored.",
        "fencepost_cluster_held_requests": "Requests that wait for a node that leads.",
        "fencepost_trace_spans_total":
            "Spans of traces, by outcome: sent, rejected by the receiver, failed, dropped since too many waited.",
        "fencepost_build_info": "The running version; always 1.",
    ]
}

final class PrometheusCounter: CounterHandler, Sendable {
    private let count = Atomic<Int64>(0)
    var value: Int64 { count.load(ordering: .relaxed) }
    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
}

final class PrometheusGauge: MeterHandler, RecorderHandler, Sendable {
    private let state = Mutex(0.0)
    var value: Double { state.withLock { $0 } }
    func set(_ value: Int64) { state.withLock { $0 = Double(value) } }
    func set(_ value: Double) { state.withLock { $0 = value } }
    func increment(by amount: Double) { state.withLock { $0 += amount } }
    func decrement(by amount: Double) { state.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
}

final class PrometheusHistogram: TimerHandler, RecorderHandler, Sendable {
    struct Values {
        /// Not cumulative. Values above the last bound are in no bucket.
        var buckets = [Int](repeating: 0, count: PrometheusMetrics.bounds.count)
        var count = 0
        var sum = 0.0
    }

    private let state = Mutex(Values())
    var values: Values { state.withLock { $0 } }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) {
        let index = PrometheusMetrics.bounds.firstIndex { value <= $0 }
        state.withLock { values in
            if let index { values.buckets[index] += 1 }
            values.count += 1
            values.sum += value
        }
    }
}
