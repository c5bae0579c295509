import FencepostModel

/// A stay in the form of stored states: with the parts of `VisitState` that belong to it.
///
/// The keys and their order are part of stored states and must not change.
struct StoredStay: Codable {
    var stay: VisitStay
    /// Whether its arrival is reported.
    var isReported: Bool
    /// When its departure was detected, if that is pending.
    var departureDetectedAt: Timestamp?

    private enum CodingKeys: String, CodingKey {
        case identity, basis
        case centroid = "anchor"
        case arrival, arrivalEarliest, firstInside, lastInside, departure, departureEarliest, departureLatest
        case departureDetectedAt = "departureNoticed"
        case isReported = "isTold"
        case departureEvidence = "evidence"
        case beganWithLeap
        case lastAtCenter = "core"
        case spread
        case lastDistance = "distance"
    }

    init(_ stay: VisitStay, isReported: Bool, departureDetectedAt: Timestamp? = nil) {
        (self.stay, self.isReported, self.departureDetectedAt) = (stay, isReported, departureDetectedAt)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let lastInside = try container.decode(VisitFix.self, forKey: .lastInside)
        let centroid = try container.decode(VisitCentroid.self, forKey: .centroid)
        stay = VisitStay(
            FixCluster(centroid: centroid, first: lastInside, last: lastInside, firstAtCenter: lastInside.time),
            basis: try container.decode(VisitStay.Basis.self, forKey: .basis))
        stay.identity = try container.decode(Timestamp.self, forKey: .identity)
        stay.arrival = try container.decodeIfPresent(Timestamp.self, forKey: .arrival)
        stay.arrivalEarliest = try container.decodeIfPresent(Timestamp.self, forKey: .arrivalEarliest)
        stay.firstInside = try container.decode(Timestamp.self, forKey: .firstInside)
        stay.departure = try container.decodeIfPresent(Timestamp.self, forKey: .departure)
        stay.departureEarliest = try container.decodeIfPresent(Timestamp.self, forKey: .departureEarliest)
        stay.departureLatest = try container.decodeIfPresent(Timestamp.self, forKey: .departureLatest)
        departureDetectedAt = try container.decodeIfPresent(Timestamp.self, forKey: .departureDetectedAt)
        isReported = try container.decode(Bool.self, forKey: .isReported)
        stay.departureEvidence = try container.decode(Double.self, forKey: .departureEvidence)
        stay.beganWithLeap = try container.decode(Bool.self, forKey: .beganWithLeap)
        // States of version 0.2 have none of these.
        stay.lastAtCenter = try container.decodeIfPresent(Timestamp.self, forKey: .lastAtCenter) ?? lastInside.time
        stay.spread = try container.decodeIfPresent(Float.self, forKey: .spread) ?? stay.spread
        stay.lastDistance = try container.decodeIfPresent(Float.self, forKey: .lastDistance) ?? 0
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stay.identity, forKey: .identity)
        try container.encode(stay.basis, forKey: .basis)
        try container.encode(stay.centroid, forKey: .centroid)
        try container.encodeIfPresent(stay.arrival, forKey: .arrival)
        try container.encodeIfPresent(stay.arrivalEarliest, forKey: .arrivalEarliest)
        try container.encode(stay.firstInside, forKey: .firstInside)
        try container.encode(stay.lastInside, forKey: .lastInside)
        try container.encodeIfPresent(stay.departure, forKey: .departure)
        try container.encodeIfPresent(stay.departureEarliest, forKey: .departureEarliest)
        try container.encodeIfPresent(stay.departureLatest, forKey: .departureLatest)
        try container.encodeIfPresent(departureDetectedAt, forKey: .departureDetectedAt)
        try container.encode(isReported, forKey: .isReported)
        try container.encode(stay.departureEvidence, forKey: .departureEvidence)
        try container.encode(stay.beganWithLeap, forKey: .beganWithLeap)
        if stay.lastAtCenter != stay.lastInside.time { try container.encode(stay.lastAtCenter, forKey: .lastAtCenter) }
        if Double(stay.spread) != VisitRule.leastSpread { try container.encode(stay.spread, forKey: .spread) }
        if stay.lastDistance != 0 { try container.encode(stay.lastDistance, forKey: .lastDistance) }
    }
}

extension VisitState {
    /// - Parameters:
    ///   - stay: the current stay, as stored.
    ///   - closed: the previous stay, as stored.
    init(_ stay: StoredStay?, closed: StoredStay?) {
        let previous: PreviousStay =
            switch (closed, closed?.departureDetectedAt) {
            case (nil, _): .none
            case (let closed?, let moment?) where closed.isReported:
                .departurePending(Boxed(PendingDeparture(stay: closed.stay, detectedAt: moment)))
            case (let closed?, _): .unreported(Boxed(closed.stay))
            }
        switch stay {
        case nil: self = .searching(previous: previous)
        case let stay? where stay.isReported: self = .visiting(Boxed(stay.stay))
        case let stay?: self = .arriving(Boxed(stay.stay), previous: previous)
        }
    }

    /// The current and the previous stay, as stored.
    var stored: (stay: StoredStay?, closed: StoredStay?) {
        let closed: StoredStay? =
            switch previous {
            case .none: nil
            case .unreported(let stay): StoredStay(stay.content, isReported: false)
            case .departurePending(let pending):
                StoredStay(
                    pending.content.stay, isReported: true, departureDetectedAt: pending.content.detectedAt)
            }
        return switch self {
        case .searching: (nil, closed)
        case .arriving(let stay, _): (StoredStay(stay.content, isReported: false), closed)
        case .visiting(let stay): (StoredStay(stay.content, isReported: true), nil)
        }
    }
}
