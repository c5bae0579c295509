extension NodeMachine {
    /// Takes a signal, whatever task is under way.
    ///
    /// - Returns: what happens at once. The report may have changed.
    public mutating func signal(_ signal: Signal) -> [Effect] {
        switch signal {
        case .stop: isStopping = true
        case .holder(let isHolder):
            // It is said in every round of reports.
            guard self.isHolder != isHolder else { return [] }
            self.isHolder = isHolder
        case .release:
            isReleased = true
            if case .leading(let epoch) = state {
                state = .handingOver(epoch: epoch, to: nil)
                return [.stopService]
            }
        case .handOver(let node):
            guard case .leading(let epoch) = state else { return [] }
            state = .handingOver(epoch: epoch, to: node)
            return [.stopService]
        case .lease(let role):
            self.role = role
            return leaseChanged()
        case .appendFailed(let failure):
            return appendFailed(failure)
        }
        return [.wake]
    }

    private mutating func leaseChanged() -> [Effect] {
        switch state {
        case .leading(let epoch), .handingOver(let epoch, _):
            guard self.epoch != epoch else { return [] }
            state = .steppingDown(.leadLost)
            return [.stopService]
        case .following: return [.wake]
        // It was claimed at the moment when the node could lead no longer.
        case .idle, .fetching, .waitingForDisk, .failed, .closing, .removing: return givenBack
        // The copy is open in a moment, and the node takes over then; or it asks again before it appends.
        case .opening, .takingOver, .steppingDown, .stopped: return []
        }
    }

    /// Lets another node lead, if this one has the lease.
    var givenBack: [Effect] { epoch == nil || isStopping ? [] : [.handOver(to: nil)] }

    /// Leads no longer; another node may have the lease.
    mutating func lost() -> Effect {
        role = .follower
        return .lose
    }

    private mutating func appendFailed(_ failure: LogFailure) -> [Effect] {
        switch state {
        case .leading, .handingOver: break
        case .idle, .opening, .fetching, .following, .takingOver, .steppingDown, .waitingForDisk, .failed, .closing,
            .removing, .stopped:
            return []
        }
        state = .steppingDown(.appendFailed)
        role = .follower
        switch failure {
        // Its own disk could not commit what the log has, most likely, so another node leads without delay.
        case .behind: return [.stopService, .handOver(to: nil)]
        case .full: return [.stopService, .trimAndLose]
        case .deposed, .diverged, .forgotten, .hole, .tooLarge, .unavailable, .newerFormat:
            return [.stopService, .lose]
        }
    }
}
