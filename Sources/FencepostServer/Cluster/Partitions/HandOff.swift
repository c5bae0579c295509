import Synchronization

/// An unbuffered channel from several producers to one consumer: a producer waits until its element is taken, so that
/// nothing piles up.
final class HandOff<Element: Sendable>: Sendable {
    private struct Offer {
        let id: Int
        let element: Element
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var offers: [Offer] = []
        var taker: CheckedContinuation<Element?, Never>?
        var nextID = 0
        var isClosed = false
    }

    private enum Offering { case refused, taken(CheckedContinuation<Element?, Never>), kept }
    private enum Taking { case ended, taken(Offer), waiting }

    private let state = Mutex(State())

    /// Gives an element.
    ///
    /// - Throws: a `CancellationError` when it was not taken before the task was cancelled or the exchange closed.
    func give(_ element: Element) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                offer(Offer(id: id, element: element, continuation: continuation))
            }
        } onCancel: {
            withdraw(id)
        }
    }

    private func offer(_ offer: Offer) {
        let outcome = state.withLock { state -> Offering in
            if state.isClosed || Task.isCancelled { return .refused }
            guard let taker = state.taker else {
                state.offers.append(offer)
                return .kept
            }
            state.taker = nil
            return .taken(taker)
        }
        switch outcome {
        case .refused: offer.continuation.resume(throwing: CancellationError())
        case .taken(let taker):
            taker.resume(returning: offer.element)
            offer.continuation.resume()
        case .kept: break
        }
    }

    private func withdraw(_ id: Int) {
        let offer = state.withLock { state in
            state.offers.firstIndex { $0.id == id }.map { state.offers.remove(at: $0) }
        }
        offer?.continuation.resume(throwing: CancellationError())
    }

    /// Takes the element that was given first; waits for one while there is none. Only one task may take.
    ///
    /// - Returns: `nil` when the exchange is closed or the task is cancelled.
    func take() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Taking in
                    if state.isClosed || Task.isCancelled { return .ended }
                    if !state.offers.isEmpty { return .taken(state.offers.removeFirst()) }
                    state.taker = continuation
                    return .waiting
                }
                switch outcome {
                case .ended: continuation.resume(returning: nil)
                case .taken(let offer):
                    offer.continuation.resume()
                    continuation.resume(returning: offer.element)
                case .waiting: break
                }
            }
        } onCancel: {
            close()
        }
    }

    /// Ends the exchange for all tasks.
    func close() {
        let (offers, taker) = state.withLock { state in
            defer { (state.offers, state.taker, state.isClosed) = ([], nil, true) }
            return (state.offers, state.taker)
        }
        for offer in offers { offer.continuation.resume(throwing: CancellationError()) }
        taker?.resume(returning: nil)
    }
}
