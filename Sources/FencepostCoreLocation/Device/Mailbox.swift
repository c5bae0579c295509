#if !canImport(CoreLocation)
    import Synchronization

    /// What waits for a loop of the app, in order, and the loop that waits for it.
    ///
    /// For one reader at a time, as an iterator is.
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

        /// The next element; `nil` once it is finished, or the task is cancelled.
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

        /// Whether a loop waits here for more.
        var isAwaited: Bool { state.withLock { $0.reader != nil } }
        var isEmpty: Bool { state.withLock { $0.elements.isEmpty } }
        /// Takes out what nobody has read.
        func drain() -> [Element] {
            state.withLock { state in
                defer { state.elements = [] }
                return state.elements
            }
        }
    }
#endif
