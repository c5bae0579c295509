import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import Synchronization
import Testing

/// Each change of accounts and endpoints is held before each of its accesses to the store, while another change runs.
@Suite("Changes at the same time") struct RaceTests {
    /// What two changes have answered, and what is stored afterwards.
    private struct Outcome: Hashable, CustomStringConvertible {
        var first: Int
        var second: Int
        var state: String

        var description: String { "\(first), \(second): \(state.replacing("\n", with: "; "))" }

        /// Whether it is that of one of two orders: in what is stored, and in what each change says, though not in the reason
        /// of a refusal.
        func isOne(of orders: [Outcome]) -> Bool {
            let same = orders.filter { $0.state == state }
            return same.contains { ($0.first < 400) == (first < 400) }
                && same.contains { ($0.second < 400) == (second < 400) }
        }
    }

    private static let hashing = PasswordHashing(
        make: { "plain:" + String(decoding: $0, as: UTF8.self) },
        matches: { $1 == "plain:" + String(decoding: $0, as: UTF8.self) })

    private final class Round: Sendable {
        private let server: TestServer
        private let gate: StoreGate
        private let number = Mutex(0)

        init(_ server: TestServer, _ gate: StoreGate) {
            (self.server, self.gate) = (server, gate)
        }

        private func fresh() async throws -> Accounts {
            let number = number.withLock { number in
                number += 1
                return number
            }
            return try await Accounts.make(server, number)
        }

        /// One change after the other.
        func inTurn(_ a: AccountChange, _ b: AccountChange) async throws -> (a: Int, b: Int, state: String) {
            let accounts = try await fresh()
            let first = try await a.make(accounts)
            let second = try await b.make(accounts)
            return (first, second, try await accounts.state())
        }

        /// One change, and the state after it.
        func alone(_ change: AccountChange) async throws -> (answer: Int, state: String) {
            let accounts = try await fresh()
            return (try await change.make(accounts), try await accounts.state())
        }

        /// `held` is stopped before its access number `point`, from 0, while `other` runs.
        ///
        /// - Returns: `nil` when it has fewer accesses.
        func interleaved(_ held: AccountChange, _ other: AccountChange, at point: Int) async throws -> Outcome? {
            let accounts = try await fresh()
            gate.arm(after: point)
            let gate = gate
            let first = Task {
                defer { gate.requestDidEnd() }
                return try await held.make(accounts)
            }
            guard await gate.untilHeld() else {
                _ = try await first.value
                return nil
            }
            let second = await Result.of { try await other.make(accounts) }
            gate.release()
            let answer = try await first.value
            return Outcome(first: answer, second: try second.get(), state: try await accounts.state())
        }
    }

    @Test(
        "have the outcome of one after the other, wherever one of them is interrupted",
        arguments: SeedShare.of(AccountChange.all.indices))
    func pairs(index: Int) async throws {
        let held = AccountChange.all[index]
        let gate = StoreGate()
        try await TestServer.run(gate: gate) { dependencies in
            dependencies.passwordHashing = Self.hashing
            dependencies.settings.apiRate = nil
        } _: { server in
            let round = Round(server, gate)
            for other in AccountChange.all {
                let forth = try await round.inTurn(held, other)
                let back = try await round.inTurn(other, held)
                var expected = [
                    Outcome(first: forth.a, second: forth.b, state: forth.state),
                    Outcome(first: back.b, second: back.a, state: back.state),
                ]
                if held.route == nil {
                    // What an endpoint answered says nothing of one that somebody has changed meanwhile.
                    let alone = try await round.alone(other)
                    expected.append(Outcome(first: 200, second: alone.answer, state: alone.state))
                }
                for outcome in expected { #expect(outcome.first < 500 && outcome.second < 500, "\(held), \(other)") }
                var point = 0
                while let outcome = try await round.interleaved(held, other, at: point) {
                    #expect(
                        outcome.isOne(of: expected),
                        "\(held), held at access \(point) while it \(other): \(outcome); expected \(expected)")
                    point += 1
                }
                #expect(point > 0, "\(held) does not use the store")
            }
        }
    }

    @Test("are all routes that change accounts or endpoints") func complete() async throws {
        try await TestServer.run { server in
            let changing = server.server.routeNames.filter { name in
                !name.hasPrefix("GET ") && AccountChange.paths.contains { name.contains(" \($0)") }
            }
            #expect(Set(changing) == Set(AccountChange.all.compactMap(\.route)).union(AccountChange.others))
        }
    }
}

extension Result where Failure == any Error {
    static func of(_ body: () async throws -> Success) async -> Self {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
