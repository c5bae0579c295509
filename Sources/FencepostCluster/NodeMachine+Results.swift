extension NodeMachine {
    /// Takes the result of the task that it asked for.
    ///
    /// - Returns: what happens at once, and the next task. The report may have changed.
    public mutating func step(_ result: Result) -> Answer {
        switch state {
        case .idle, .closing: return rest()
        case .opening(let opening): return opened(result, opening)
        case .fetching(_, let deadly, let opening): return fetched(result, passing: deadly, then: opening)
        case .following(let following): return followed(result, following)
        case .takingOver(let epoch): return tookOver(result, epoch)
        case .leading, .handingOver, .steppingDown: return served(result)
        case .waitingForDisk(let copyIsOpen): return waitedForDisk(result, copyIsOpen: copyIsOpen)
        case .failed: return isNeeded ? Answer(.wait) : close()
        case .removing:
            (hasFile, isReleased) = (false, false)
            return rest()
        case .stopped: return Answer(.end)
        }
    }

    /// What a node does whose copy is closed.
    mutating func rest() -> Answer {
        if isReleased {
            state = .removing
            return Answer(.remove, givenBack)
        }
        if isStopping {
            state = .stopped
            return Answer(.end)
        }
        guard isNeeded else {
            state = .idle
            return Answer(.wait, givenBack)
        }
        return open(.first)
    }

    private mutating func open(_ opening: Opening) -> Answer {
        state = .opening(opening)
        return Answer(.open(opening))
    }

    private mutating func close() -> Answer {
        state = .closing
        return Answer(.close, givenBack)
    }

    private mutating func opened(_ result: Result, _ opening: Opening) -> Answer {
        switch result {
        case .opened:
            hasFile = true
            return isNeeded ? follow() : close()
        case .lacksStart: return fetch(behind: nil, passing: nil, then: opening)
        case .diskFull: return waitForDisk(copyIsOpen: false)
        case .refused(let sentence): return fail(sentence)
        case .awake, .fetched, .notFetched, .tookOver, .served, .hasRoom, .closed, .removed, .isInnocent, .applied,
            .looked, .trimmed, .failed, .setAside:
            return open(opening)
        }
    }

    // MARK: - Copies of other nodes

    private mutating func fetch(behind sequence: UInt64?, passing deadly: SetAside?, then opening: Opening) -> Answer {
        state = .fetching(behind: sequence, passing: deadly, then: opening)
        return Answer(.fetch(behind: sequence, passing: deadly), givenBack)
    }

    private mutating func fetched(_ result: Result, passing deadly: SetAside?, then opening: Opening) -> Answer {
        switch result {
        case .fetched: hasFile = true
        case .isInnocent:
            if isNeeded, let deadly { return open(.forgiving(position: deadly.position)) }
        case .notFetched:
            if isNeeded { return Answer(.pause(Self.retryInterval)) }
        case .awake:
            if isNeeded, case .fetching(let sequence, _, _) = state {
                return Answer(.fetch(behind: sequence, passing: deadly))
            }
        case .opened, .tookOver, .served, .hasRoom, .closed, .removed, .lacksStart, .applied, .looked, .trimmed,
            .failed, .setAside, .diskFull, .refused:
            break
        }
        return isNeeded ? open(opening) : rest()
    }

    // MARK: - Following

    private mutating func follow(_ following: Following = Following()) -> Answer {
        state = .following(following)
        return Answer(.apply)
    }

    /// Goes on to follow after a pause.
    private mutating func follow(
        _ following: Following, after pause: Duration = interval, _ effects: [Effect] = []
    ) -> Answer {
        state = .following(following)
        return Answer(.pause(pause), effects)
    }

    private mutating func followed(_ result: Result, _ former: Following) -> Answer {
        guard isNeeded else { return close() }
        var following = former
        switch result {
        case .awake:
            // Another node may have room in the log's servers, or trims it.
            if former.trouble == .logFull, epoch != nil {
                var answer = follow(Following(quiet: 0, mayLead: former.mayLead, trouble: nil))
                answer.effects = [lost()]
                return answer
            }
            return takeOver() ?? follow(former)
        case .applied(let count, let isEnd):
            following.quiet = count == 0 ? min(former.quiet + 1, Self.idleLooks) : 0
            state = .following(following)
            return Answer(isEnd ? .look : .apply)
        case .looked(let mayLead):
            (following.mayLead, following.trouble) = (mayLead, nil)
            // The lease may have come meanwhile.
            if let answer = takeOver() { return answer }
            let isIdle = restsWhenIdle && following.quiet == Self.idleLooks
            return follow(following, after: isIdle ? Self.idleInterval : Self.interval)
        case .failed, .setAside, .diskFull, .refused:
            return stumbled(result, following)
        case .opened, .fetched, .notFetched, .tookOver, .served, .hasRoom, .closed, .removed, .lacksStart, .isInnocent,
            .trimmed:
            return follow(following, after: Self.interval)
        }
    }

    /// Begins to take over; `nil` while the node does not have the lease.
    private mutating func takeOver() -> Answer? {
        guard let epoch else { return nil }
        state = .takingOver(epoch: epoch)
        return Answer(.apply)
    }

    private mutating func tookOver(_ result: Result, _ epoch: UInt64) -> Answer {
        guard isNeeded else { return close() }
        // It has followed to the end of the log before, so it may lead.
        let following = Following(quiet: 0, mayLead: true, trouble: nil)
        switch result {
        case .applied(_, let isEnd):
            guard isEnd else { return Answer(.apply) }
            guard self.epoch == epoch else { return follow(following, after: Self.interval) }
            return Answer(.takeOver(epoch: epoch))
        case .tookOver:
            guard self.epoch == epoch else { return follow(following, after: Self.interval) }
            state = .leading(epoch: epoch)
            return Answer(.lead(epoch: epoch))
        case .failed(.full): return Answer(.trim)
        case .trimmed(let isTrimmed):
            guard !isTrimmed else { return follow(following, after: Self.interval) }
            return stumbled(.failed(.full), following)
        case .failed, .setAside, .diskFull, .refused: return stumbled(result, following)
        case .awake, .opened, .fetched, .notFetched, .served, .hasRoom, .closed, .removed, .lacksStart, .isInnocent,
            .looked:
            return follow(following, after: Self.interval)
        }
    }

    /// What a failure means for a node whose copy is open.
    private mutating func stumbled(_ result: Result, _ former: Following) -> Answer {
        var following = former
        switch result {
        case .failed(.unavailable):
            following.trouble = .logUnavailable
            return follow(following, after: Self.interval)
        // Records came in between; they are applied first.
        case .failed(.behind), .failed(.diverged): return follow(following, after: Self.interval)
        case .failed(.deposed): return follow(following, after: Self.interval, [lost()])
        case .failed(.full):
            following.trouble = .logFull
            return follow(following, after: Self.retryInterval)
        case .failed(.hole(let sequence)): return fetch(behind: sequence, passing: nil, then: .again)
        case .failed(.forgotten(let end)):
            return fail(
                "The log in NATS ends at \(end), before what this copy has applied: its servers lost records that they had "
                    + "acknowledged. Stop all nodes, and compare their copies before you go on.")
        case .failed(.newerFormat(let sequence)):
            return fail("Record \(sequence) of the log is of a newer Fencepost. Install that version on this node.")
        case .failed(.tooLarge):
            return fail("The NATS servers refuse records of this size. Raise max_payload to 1 MB.")
        case .setAside(let deadly): return fetch(behind: deadly.behind, passing: deadly, then: .again)
        case .diskFull: return waitForDisk(copyIsOpen: true)
        case .refused(let sentence): return fail(sentence)
        case .awake, .opened, .fetched, .notFetched, .tookOver, .served, .hasRoom, .closed, .removed, .lacksStart,
            .isInnocent, .applied, .looked, .trimmed:
            return follow(following, after: Self.interval)
        }
    }

    private mutating func fail(_ sentence: String) -> Answer {
        state = .failed(sentence)
        return Answer(.wait, givenBack)
    }

    private mutating func waitForDisk(copyIsOpen: Bool) -> Answer {
        state = .waitingForDisk(copyIsOpen: copyIsOpen)
        return Answer(.pause(Self.retryInterval), givenBack)
    }

    private mutating func waitedForDisk(_ result: Result, copyIsOpen: Bool) -> Answer {
        guard isNeeded else { return copyIsOpen ? close() : rest() }
        switch result {
        case .hasRoom: return follow()
        case .awake: return copyIsOpen ? Answer(.checkDisk) : open(.again)
        case .opened, .fetched, .notFetched, .tookOver, .served, .closed, .removed, .lacksStart, .isInnocent, .applied,
            .looked, .trimmed, .failed, .setAside, .diskFull, .refused:
            return Answer(.pause(Self.retryInterval))
        }
    }

    // MARK: - Leading

    /// The service has ended, and the copy is closed.
    private mutating func served(_ result: Result) -> Answer {
        let handover: Effect? = if case .handingOver(_, let node) = state { .handOver(to: node) } else { nil }
        switch result {
        case .diskFull: return isNeeded ? waitForDisk(copyIsOpen: false) : rest()
        case .refused(let sentence): return isNeeded ? fail(sentence) : rest()
        case .awake, .opened, .fetched, .notFetched, .tookOver, .served, .hasRoom, .closed, .removed, .lacksStart,
            .isInnocent, .applied, .looked, .trimmed, .failed, .setAside:
            break
        }
        // A process that ends gives its leases back when its services have ended in all partitions.
        var effects: [Effect] = []
        if epoch != nil, !isStopping {
            effects = [handover ?? .lose]
            role = .follower
        }
        var answer = isNeeded ? open(.again) : rest()
        answer.effects = effects + answer.effects
        return answer
    }
}

extension NodeMachine.Answer {
    init(_ task: NodeMachine.Task, _ effects: [NodeMachine.Effect] = []) {
        (self.effects, self.task) = (effects, task)
    }
}
