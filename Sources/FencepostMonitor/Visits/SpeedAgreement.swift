/// Whether the speeds that a device states agree with its positions.
///
/// Some devices repeat the speed of the way while they stand, or state any number. Then a speed says nothing about
/// motion. Counted are steps between two fixes that both state motion: a device that is where it was did not move.
struct SpeedAgreement: Hashable, Sendable, Codable {
    private var agreeing: UInt8 = 0
    private var contradicting: UInt8 = 0

    /// Above this both counts are halved, so that a device whose speeds become right is trusted again.
    private static let longest: UInt8 = 32

    private enum CodingKeys: String, CodingKey { case agreeing = "a", contradicting = "c" }

    var areTrusted: Bool { Int(contradicting) * VisitRule.speedRatio <= Int(agreeing) + 1 }

    mutating func add(from before: VisitFix, to fix: VisitFix) {
        guard before.isMoving, fix.isMoving else { return }
        let noise = Double(before.accuracy + fix.accuracy)
        let expected = Double(min(before.speed, fix.speed)) * fix.seconds(since: before)
        guard expected > VisitRule.speedNoise * noise else { return }
        if before.distance(to: fix) > noise { agreeing += 1 } else { contradicting += 1 }
        if max(agreeing, contradicting) > Self.longest {
            (agreeing, contradicting) = (agreeing / 2, contradicting / 2)
        }
    }
}
