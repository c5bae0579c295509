/// Who should lead: the value of one key that nodes change by compare and swap.
///
/// Nothing that has to be correct depends on it. It only keeps nodes from replacing each other all the time; what an old leader
/// appends is refused by the log.
public struct Lease: Hashable, Sendable {
    /// The node that holds it.
    public var node: String
    /// The run of the node's process; random.
    public var run: UInt64
    /// Counts the claims of the run.
    public var claim: UInt64
    /// The epoch of the leader: the revision of the key with which it claimed. 0 in the claim itself.
    public var epoch: UInt64
    /// Whether the node works. False when it gave the lease back.
    public var isHeld: Bool
    /// Where the node answers the requests of others, such as `http://10.0.0.1:8080`; `nil` when it says nothing.
    public var address: String?
    /// The version of its program; `nil` when it does not say.
    public var version: String?
    /// The node that is to claim a lease that was given back; `nil` for any.
    public var successor: String?

    /// Creates a value. More than five parameters, because each is another part of the key's value.
    public init(
        node: String, run: UInt64, claim: UInt64, epoch: UInt64 = 0, isHeld: Bool = true, address: String? = nil,
        version: String? = nil, successor: String? = nil
    ) {
        self.address = address
        self.version = version
        self.successor = successor
        self.node = node
        self.run = run
        self.claim = claim
        self.epoch = epoch
        self.isHeld = isHeld
    }
}

/// What a node does with the lease: it receives answers of the key's store and returns what to ask next.
///
/// A follower claims the lease when it is free, or when it has not changed in so many successful reads that its holder must have
/// missed several renewals. While the store does not answer, nobody is suspected. A leader that has no proof for twelve
/// seconds that the lease is its own steps down.
public struct LeaseMachine: Sendable {
    /// What happened.
    public enum Input: Hashable, Sendable {
        /// The key has this value and revision; `nil` when it does not exist.
        case read(Reading?)
        /// The value was written, with this revision.
        case written(revision: UInt64)
        /// The value was not written, or whether it was is not known, or it could not be read.
        case failed
    }

    /// A value and its revision.
    public struct Reading: Hashable, Sendable {
        /// The value.
        public var lease: Lease
        /// The revision, which rises with every change.
        public var revision: UInt64

        /// Creates a value.
        public init(lease: Lease, revision: UInt64) {
            self.lease = lease
            self.revision = revision
        }
    }

    /// What to ask the store for, after a pause.
    public enum Request: Hashable, Sendable {
        /// Read the key.
        case read(after: Duration)
        /// Write the key if it has this revision, or does not exist (`nil`).
        case write(Lease, replacing: UInt64?, after: Duration)
        /// Nothing any more.
        case nothing
    }

    /// What a node is at the moment.
    public enum Role: Hashable, Sendable {
        /// It follows the log.
        case follower
        /// It leads, with an epoch.
        case leader(epoch: UInt64)
        /// It takes no part any more.
        case stopped
    }

    private enum State: Hashable {
        /// The revision of another node's lease, and in how many reads it has not changed.
        case following(Sight)
        /// When the claim was sent.
        case claiming(sent: Duration)
        /// Whether the claim was written is not known; when the read was sent.
        case checkingClaim(sent: Duration)
        case leading(Leading)
        /// Whether the renewal was written is not known.
        case checkingRenewal(Leading)
        case releasing(Leading)
        /// As `releasing`, and then it follows.
        case handingOver
        case stopped
    }

    /// The lease as a follower has seen it.
    private struct Sight: Hashable {
        var revision: UInt64 = 0
        var reads = 0
    }

    private struct Leading: Hashable {
        var epoch: UInt64
        var revision: UInt64
        /// When the request was sent that last showed that the lease is this node's.
        var proof: Duration
        /// When the request that is under way was sent.
        var sent: Duration
    }

    /// Between reads of a follower, and attempts that had no answer.
    public static let readInterval = Duration.milliseconds(250)
    /// Between renewals.
    public static let renewInterval = Duration.seconds(2)
    /// Successful reads of a lease that was given back after which any node claims it, and not only the one that is to: three
    /// seconds.
    public static let courtesy = 12
    /// Successful reads of an unchanged lease after which its holder is suspected: eight seconds.
    public static let suspicion = 32
    /// The time without proof after which a leader steps down; longer than an election among the servers takes.
    public static let restraint = Duration.seconds(12)

    private let node: String
    private let run: UInt64
    private let address: String?
    private let version: String?
    private var claim: UInt64 = 0
    private var state = State.following(Sight())

    /// Creates the machine of a node that follows.
    ///
    /// - Parameters:
    ///   - node: the node's id.
    ///   - run: the run of its process; random.
    ///   - address: where it answers the requests of other nodes; `nil` when it does not.
    ///   - version: the version of its program; `nil` when it does not say.
    public init(node: String, run: UInt64, address: String? = nil, version: String? = nil) {
        self.node = node
        self.run = run
        self.address = address
        self.version = version
    }

    /// What the node is.
    public var role: Role {
        switch state {
        case .following, .claiming, .checkingClaim: .follower
        case .leading(let leading), .checkingRenewal(let leading): .leader(epoch: leading.epoch)
        case .handingOver: .follower
        case .releasing, .stopped: .stopped
        }
    }

    /// Whether the lease that it reads has not changed for so long that its holder has ended, most likely.
    public var suspectsHolder: Bool {
        if case .following(let sight) = state { sight.reads >= Self.suspicion } else { false }
    }

    /// The first request.
    public var first: Request { .read(after: .zero) }

    /// The next request.
    ///
    /// - Parameters:
    ///   - input: the answer to the last one.
    ///   - now: a time that goes on while the machine sleeps.
    ///   - canLead: whether this node's copy can be brought to the end of the log.
    /// - Returns: what to ask for. The role may have changed.
    public mutating func step(_ input: Input, at now: Duration, canLead: Bool = true) -> Request {
        switch (state, input) {
        case (.following(let sight), .read(let reading)):
            return follow(reading, sight, at: now, canLead: canLead)
        case (.claiming(let sent), .written(let revision)):
            return lead(epoch: revision, revision: revision, proof: sent, at: now)
        case (.claiming, .failed), (.claiming, .read):
            state = .checkingClaim(sent: now)
            return .read(after: .zero)
        case (.checkingClaim(let sent), .read(let reading)):
            guard let reading, isMine(reading.lease), reading.lease.isHeld else {
                return follow(reading, Sight(), at: now, canLead: canLead)
            }
            return lead(epoch: reading.revision, revision: reading.revision, proof: sent, at: now)
        case (.leading(let leading), .written(let revision)):
            return lead(epoch: leading.epoch, revision: revision, proof: leading.sent, at: now)
        case (.leading(var leading), .failed), (.leading(var leading), .read):
            guard now - leading.proof < Self.restraint else { return follow() }
            leading.sent = now
            state = .checkingRenewal(leading)
            return .read(after: .zero)
        case (.checkingRenewal(let leading), .read(let reading)):
            return check(leading, reading, at: now)
        case (.checkingRenewal(var leading), .failed), (.checkingRenewal(var leading), .written):
            guard now - leading.proof < Self.restraint else { return follow() }
            leading.sent = now + Self.readInterval
            state = .checkingRenewal(leading)
            return .read(after: Self.readInterval)
        case (.checkingClaim, .failed), (.checkingClaim, .written):
            state = .checkingClaim(sent: now + Self.readInterval)
            return .read(after: Self.readInterval)
        case (.following, .failed), (.following, .written):
            return .read(after: Self.readInterval)
        case (.releasing, _):
            state = .stopped
            return .nothing
        case (.handingOver, _):
            return follow()
        case (.stopped, _):
            return .nothing
        }
    }

    /// The node cannot lead any more, since the log has refused it or its service has ended.
    ///
    /// - Returns: what to ask for next, in place of the request that is under way.
    public mutating func lose() -> Request {
        guard case .leader = role else { return .read(after: Self.readInterval) }
        return follow()
    }

    /// A leader gives its lease back for another node to claim, and follows then. If that node does not, any may.
    ///
    /// - Parameter node: the name of the other node; `nil` for any that can lead.
    /// - Returns: what to ask for next, in place of the request that is under way.
    public mutating func handOver(to node: String?) -> Request {
        switch state {
        case .leading(let leading), .checkingRenewal(let leading):
            var given = lease(epoch: leading.epoch, isHeld: false)
            given.successor = node
            state = .handingOver
            return .write(given, replacing: leading.revision, after: .zero)
        case .following, .claiming, .checkingClaim, .releasing, .handingOver, .stopped: return lose()
        }
    }

    /// The node ends: a leader gives its lease back.
    ///
    /// - Returns: what to ask for next, in place of the request that is under way.
    public mutating func stop() -> Request {
        switch state {
        case .leading(let leading), .checkingRenewal(let leading):
            state = .releasing(leading)
            return .write(lease(epoch: leading.epoch, isHeld: false), replacing: leading.revision, after: .zero)
        case .following, .claiming, .checkingClaim, .releasing, .handingOver, .stopped:
            state = .stopped
            return .nothing
        }
    }

    private func isMine(_ lease: Lease) -> Bool { lease.node == node && lease.run == run && lease.claim == claim }

    private mutating func follow() -> Request {
        state = .following(Sight())
        return .read(after: Self.readInterval)
    }

    private mutating func follow(_ reading: Reading?, _ sight: Sight, at now: Duration, canLead: Bool) -> Request {
        let revision = reading?.revision ?? 0
        let reads = revision == sight.revision ? sight.reads + 1 : 0
        state = .following(Sight(revision: revision, reads: reads))
        let mayClaim = reading.map { isFree($0.lease, reads: reads) } ?? true
        guard canLead, mayClaim || reads >= Self.suspicion else { return .read(after: Self.readInterval) }
        claim += 1
        state = .claiming(sent: now)
        return .write(lease(), replacing: reading?.revision, after: .zero)
    }

    /// Whether this node may claim a lease that it has read so many times without a change.
    private func isFree(_ lease: Lease, reads: Int) -> Bool {
        // Another node is to claim it, and has a moment for it.
        if let successor = lease.successor, successor != node, reads < Self.courtesy { return false }
        // The second is one of an earlier run of this node, whose process has ended, or that this run gave up.
        return !lease.isHeld || lease.node == node
    }

    private func lease(epoch: UInt64 = 0, isHeld: Bool = true) -> Lease {
        Lease(
            node: node, run: run, claim: claim, epoch: epoch, isHeld: isHeld, address: address, version: version)
    }

    private mutating func lead(epoch: UInt64, revision: UInt64, proof: Duration, at now: Duration) -> Request {
        // The process was paused while the answer was under way.
        guard now - proof < Self.restraint else { return follow() }
        state = .leading(
            Leading(epoch: epoch, revision: revision, proof: proof, sent: now + Self.renewInterval))
        return .write(lease(epoch: epoch), replacing: revision, after: Self.renewInterval)
    }

    private mutating func check(_ leading: Leading, _ reading: Reading?, at now: Duration) -> Request {
        guard let reading, isMine(reading.lease) else { return follow() }
        return lead(epoch: leading.epoch, revision: reading.revision, proof: leading.sent, at: now)
    }
}
