#if !canImport(CoreLocation) || SimulatedCoreLocation
    import Synchronization

    /// A queue between the simulation and one loop of the app: elements in order, and the loop that waits for the next.
    ///
    /// It has one reader at a time, like an iterator.
    final class Mailbox<Element: Sendable>: Sendable {
        private struct State {
            var elements: [Element] = []
            var reader: CheckedContinuation<Element?, Never>?
            var isFinished = false
        }

        private let state = Mutex(State())

        func send(_ element: Element) {
            let reader = state.withLock { state in
                guard !state.isFinished else { return CheckedContinuation<Element?, Never>?.none }
                guard let reader = state.reader else {
                    state.elements.append(element)
                    return nil
                }
                state.reader = nil
                return reader
            }
            reader?.resume(returning: element)
        }

        func finish() {
            let reader = state.withLock { state in
                state.isFinished = true
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }

        /// The next element; `nil` once the mailbox is finished or the task is cancelled.
        func next() async -> Element? {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let answer: Element?? = state.withLock { state in
                        if state.isFinished || Task.isCancelled { return .some(nil) }
                        if !state.elements.isEmpty { return state.elements.removeFirst() }
                        state.reader = continuation
                        return .none
                    }
                    if let answer { continuation.resume(returning: answer) }
                }
            } onCancel: {
                let reader = state.withLock { state in
                    defer { state.reader = nil }
                    return state.reader
                }
                reader?.resume(returning: nil)
            }
        }

        /// Whether a loop waits for the next element.
        var isAwaited: Bool { state.withLock { $0.reader != nil } }
        var isEmpty: Bool { state.withLock { $0.elements.isEmpty } }
        /// Removes and returns the unread elements.
        func drain() -> [Element] {
            state.withLock { state in
                defer { state.elements = [] }
                return state.elements
            }
        }
    }
#endif
