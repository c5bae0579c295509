import FencepostModel

/// Matches the detected crossings of a device and region with those of a `PlainBenchmark`.
struct PlainMatch {
    private(set) var counts = PlainScore.Counts()
    private(set) var silent = 0
    private(set) var silentInTime = 0
    private(set) var confidences: [(Double, isCorrect: Bool)] = []

    private let detected: [ScoredCrossing]
    private var isUsed: [Bool]

    /// Matches the crossings of one pair. `startsInside` is whether the device is inside at the start, so that its
    /// entry may be reported.
    init(_ events: [ScoredCrossing], _ truth: [PlainBenchmark.Crossing], startsInside: Bool) {
        // The sort is stable: crossings of one moment stay in the order of their detection.
        detected = events.sorted { $0.detectedAt < $1.detectedAt }
        isUsed = [Bool](repeating: false, count: detected.count)
        let byTime = truth.sorted { $0.timestamp < $1.timestamp }
        for crossing in byTime where crossing.isRequired { countRequired(crossing) }
        // A report can match one optional crossing, and an optional crossing one report.
        var open = byTime.filter { !$0.isRequired }
        for index in detected.indices where !isUsed[index] {
            guard let match = open.firstIndex(where: { matches(index, $0) }) else { continue }
            open.remove(at: match)
            isUsed[index] = true
            counts.optional += 1
        }
        countFalse(startsInside: startsInside)
    }

    private func matches(_ index: Int, _ crossing: PlainBenchmark.Crossing) -> Bool {
        // Times in files are rounded to the millisecond.
        detected[index].isEntry == crossing.isEntry
            && detected[index].detectedAt > crossing.earliest ?? .distantPast
            && detected[index].detectedAt <= (crossing.until ?? .distantFuture) + .milliseconds(1)
    }

    private mutating func countRequired(_ crossing: PlainBenchmark.Crossing) {
        counts.required += 1
        let isSilent = crossing.reason == PlainBenchmark.Crossing.silent
        if isSilent { silent += 1 }
        guard let index = detected.indices.first(where: { !isUsed[$0] && matches($0, crossing) }) else { return }
        isUsed[index] = true
        let detectedAt = detected[index].detectedAt
        if detectedAt <= (crossing.due ?? .distantFuture) + .milliseconds(2) {
            counts.inTime += 1
            if isSilent { silentInTime += 1 }
        } else {
            counts.late += 1
        }
        counts.delays[min(fixes(until: detectedAt, after: crossing), counts.delays.count - 1)] += 1
        if let confidence = detected[index].confidence { confidences.append((confidence, true)) }
    }

    /// The number of fixes after the first clear one at which a crossing was reported: 0 at that fix or before.
    private func fixes(until detectedAt: Timestamp, after crossing: PlainBenchmark.Crossing) -> Int {
        let seconds = (detectedAt - (crossing.clear ?? crossing.timestamp)).seconds
        // Files have tenths of a second.
        return seconds <= 0.002 ? 0 : 1 + crossing.fixesAfter.count { $0 < seconds - 0.06 }
    }

    private mutating func countFalse(startsInside: Bool) {
        let firstExit = detected.first { !$0.isEntry }?.detectedAt ?? .distantFuture
        var mayEnter = startsInside
        for index in detected.indices where !isUsed[index] {
            if mayEnter, detected[index].isEntry, detected[index].detectedAt <= firstExit {
                mayEnter = false
                counts.optional += 1
                continue
            }
            counts.falsePositives += 1
            if index > 0, detected[index - 1].isEntry == detected[index].isEntry { counts.duplicated += 1 }
            if let confidence = detected[index].confidence { confidences.append((confidence, false)) }
        }
    }
}
