public import FencepostGeometry

/// A circle about the place where a device stood when it was armed. The device is expected to stay in it.
public struct Fence: Hashable, Sendable, Codable {
    /// When it was armed.
    public var armedAt: Timestamp
    /// The centre: where the device stood, by its trusted locations.
    public var center: Coordinate
    /// Radius of 68 % confidence around the centre, in metres.
    public var horizontalAccuracy: Double
    /// Radius in metres, as in `FenceSettings`.
    public var radius: Double
    /// When it is disarmed without a request; `nil` for never.
    public var until: Timestamp?
    /// As in `FenceSettings`.
    public var owner: DeviceID?
    /// Who armed it.
    public var origin: Origin

    /// Who arms a fence. The raw values are on the wire.
    public enum Origin: String, Hashable, Sendable, Codable, CaseIterable {
        /// A request.
        case caller
        /// The schedule.
        case schedule
    }

    /// A fence about a position, which is armed by its device's settings.
    ///
    /// - Parameters:
    ///   - moment: when it is armed.
    ///   - center: the centre.
    ///   - accuracy: radius of 68 % confidence around the centre, in metres.
    ///   - settings: the radius and the owner.
    ///   - until: when it is disarmed without a request; `nil` for never.
    ///   - origin: who arms it.
    ///
    /// Six parameters, because each comes from another place.
    public init(
        armedAt moment: Timestamp, center: Coordinate, horizontalAccuracy accuracy: Double, _ settings: FenceSettings,
        until: Timestamp?, origin: Origin
    ) {
        (armedAt, self.center, horizontalAccuracy) = (moment, center, accuracy)
        (radius, owner) = (settings.radius, settings.owner)
        (self.until, self.origin) = (until, origin)
    }

    /// A fence as an event has it that was stored. Seven parameters, because they are all that an event says of it.
    public init(
        armedAt: Timestamp, center: Coordinate, horizontalAccuracy: Double, radius: Double, until: Timestamp?,
        owner: DeviceID?, origin: Origin
    ) {
        (self.armedAt, self.center, self.horizontalAccuracy) = (armedAt, center, horizontalAccuracy)
        (self.radius, self.until, self.owner, self.origin) = (radius, until, owner, origin)
    }
}

/// What the fences of one device have in common.
public struct FenceSettings: Hashable, Sendable, Codable {
    /// Metres from the centre to the boundary, in `radii`.
    public var radius: Double
    /// The device of the owner, which disarms the fence when it comes near; `nil` for none.
    public var owner: DeviceID?
    /// When a fence is armed and disarmed without a request; `nil` for never.
    public var schedule: Schedule?

    /// The radius where a request has none, in metres.
    public static let defaultRadius = 50.0
    /// The radii that a fence may have, in metres.
    public static let radii = 20.0...10_000.0

    /// Settings of fences.
    ///
    /// - Parameters:
    ///   - radius: metres from the centre to the boundary.
    ///   - owner: the device of the owner.
    ///   - schedule: when a fence is armed and disarmed without a request.
    public init(radius: Double = defaultRadius, owner: DeviceID? = nil, schedule: Schedule? = nil) {
        (self.radius, self.owner, self.schedule) = (radius, owner, schedule)
    }
}

/// What an event of a fence states.
public struct FenceReport: Hashable, Sendable {
    /// What happened to a fence.
    public enum Kind: Hashable, Sendable {
        /// It was armed.
        case armed
        /// The device has left it, and is so many metres from its centre. At most once for each fence.
        case broken(distance: Double)
        /// It was disarmed.
        case disarmed(DisarmReason)

        /// The event type on the wire.
        public var type: EventType {
            switch self {
            case .armed: .fenceArmed
            case .broken: .fenceBroken
            case .disarmed: .fenceDisarmed
            }
        }
    }

    /// Why a fence is disarmed. The raw values are on the wire.
    public enum DisarmReason: String, Hashable, Sendable, Codable, CaseIterable {
        /// A request disarmed it, or armed another one in its place.
        case caller
        /// The schedule closed.
        case schedule
        /// The device of the owner came near.
        case owner
        /// Its time was over.
        case expired
    }

    /// What happened.
    public var kind: Kind
    /// The fence.
    public var fence: Fence

    /// Why it was disarmed, as on the wire; `nil` for other events.
    public var reason: String? { if case .disarmed(let reason) = kind { reason.rawValue } else { nil } }

    /// What happened to a fence.
    public init(_ kind: Kind, _ fence: Fence) { (self.kind, self.fence) = (kind, fence) }
}

/// Why no fence can be armed where a device stands. The raw values are on the wire.
public enum FenceObstacle: String, Error, Hashable, Sendable, Codable, CaseIterable {
    /// No location of the device is known.
    case noPosition = "no_position"
    /// The last location is too old.
    case stale
    /// The device moves, or it has just moved.
    case moving
    /// The position is too uncertain.
    case inaccurate
}

/// The state of a device's fence.
public struct FenceStatus: Hashable, Sendable {
    /// How far it is. The raw values are on the wire.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The device is expected to stay.
        case armed
        /// The device has left it.
        case broken
        /// The schedule is open, and nothing can be armed yet.
        case waiting
        /// The schedule arms the next one.
        case scheduled
    }

    /// How far it is.
    public var state: State
    /// What the fences of the device have in common.
    public var settings: FenceSettings
    /// The fence, if it is armed or broken.
    public var fence: Fence?
    /// When it was broken.
    public var brokenAt: Timestamp?
    /// Why nothing can be armed yet, if it waits.
    public var obstacle: FenceObstacle?

    /// A status.
    ///
    /// - Parameters:
    ///   - state: how far it is.
    ///   - settings: what the fences of the device have in common.
    public init(_ state: State, _ settings: FenceSettings) { (self.state, self.settings) = (state, settings) }
}

/// A change of a device's fence that its locations do not cause. It is part of the log: an evaluation of the past takes it at
/// its time.
public enum FenceChange: Hashable, Sendable, Codable {
    /// A fence is armed, in place of any other. The fixes of the device were so many metres from its centre before (root mean
    /// square).
    case arm(Fence, FenceSettings, spread: Double)
    /// A schedule arms fences from now on. What was armed before is disarmed.
    case schedule(FenceSettings)
    /// The fence is disarmed. The schedule stays, or is removed as well.
    case disarm(FenceReport.DisarmReason, keepsSchedule: Bool)
    /// The device of the owner was away since the fence was armed, so that it disarms it when it comes near.
    case ownerAway
}

/// A change of a device's fence, and when it was.
public struct FenceRecord: Hashable, Sendable {
    /// The device.
    public var deviceID: DeviceID
    /// In the time of the device's locations: later than all that were evaluated before.
    public var time: Timestamp
    /// The change.
    public var change: FenceChange

    /// A change at a time.
    public init(_ device: DeviceID, at time: Timestamp, _ change: FenceChange) {
        (deviceID, self.time, self.change) = (device, time, change)
    }
}
