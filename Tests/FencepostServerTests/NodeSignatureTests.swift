import FencepostModel
import FencepostTesting
import Testing

@testable import FencepostServer

/// Requests between the nodes of a cluster: each counts once, where it was sent to, as it was signed.
@Suite("Node signatures") struct NodeSignatureTests {
    private static let key: [UInt8] = Array(1...32)

    private func signature(_ number: UInt64 = 1, session: UInt64 = 7, client: String = "10.0.0.7") -> NodeSignature {
        var signature = NodeSignature(
            client: client, part: .partition(3), isOfFanOut: true, importID: "imp_1", body: [1, 2])
        (signature.run, signature.number, signature.session) = (9, number, session)
        return signature
    }

    private func value(_ signature: NodeSignature, _ method: String = "GET", _ target: String = "/v1/devices?limit=2")
        -> String
    {
        signature.value(method: method, target: target, key: Self.key)
    }

    private func verdict(
        _ verifier: NodeVerifier, _ value: String?, _ method: String = "GET", _ target: String = "/v1/devices?limit=2",
        key: [UInt8] = Self.key
    ) -> NodeVerifier.Verdict {
        verifier.verdict(value, method: method, target: target, key: key)
    }

    @Test("state what a node has signed, for one request") func reads() {
        let verifier = NodeVerifier(session: { 7 })
        #expect(verdict(verifier, value(signature())) == .node(signature()))
        #expect(verdict(verifier, value(signature(2)), "POST") == .unsigned)
        #expect(verdict(verifier, value(signature(2)), "GET", "/v1/devices?limit=3") == .unsigned)
        #expect(verdict(verifier, value(signature(2)), key: [1]) == .unsigned)
        #expect(verdict(verifier, nil) == .unsigned)
    }

    @Test("are refused with any byte changed, and as anything else") func changed() {
        let verifier = NodeVerifier(session: { 7 })
        let value = value(signature())
        for index in value.utf8.indices {
            var bytes = Array(value.utf8)
            bytes[value.utf8.distance(from: value.startIndex, to: index)] ^= 1
            let changed = String(decoding: bytes, as: UTF8.self)
            // The last digit of a byte in capitals is the same byte; one bit never makes them.
            #expect(verdict(verifier, changed) == .unsigned, "\(changed)")
        }
        for text in [
            "", " ", "3", "0123456789abcdef local", "3 7 9 1 x 1 3 - 10.0.0.7 x", String(repeating: " ", count: 9),
        ] {
            #expect(verdict(verifier, text) == .unsigned)
        }
    }

    @Test("never state that a command of another machine needs no token") func local() {
        let verifier = NodeVerifier(session: { 7 })
        #expect(verdict(verifier, value(signature(client: Forwarding.localClient))) == .unsigned)
    }

    @Test("count once, in any order of 16,384 requests; older ones are to be signed again")
    func replays() {
        let verifier = NodeVerifier(session: { 7 })
        var random = SeededGenerator(seed: 1)
        var sent: Set<UInt64> = []
        var newest: UInt64 = 0
        for _ in 0..<20_000 {
            let number = UInt64.random(in: 1...40_000, using: &random)
            let expected: NodeVerifier.Verdict
            if newest >= number, newest - number >= 16_384 {
                expected = .otherSession(7)
            } else {
                expected = sent.insert(number).inserted ? .node(signature(number)) : .replayed
                newest = max(newest, number)
            }
            let verdict = verdict(verifier, value(signature(number)))
            #expect(verdict == expected, "\(number)")
            if verdict != expected { return }
        }
    }

    @Test("do not count in another run of the process, nor when there were too many senders") func sessions() {
        let verifier = NodeVerifier(session: { 8 })
        #expect(verdict(verifier, value(signature())) == .otherSession(8))
        for run in 1...UInt64(64) {
            var other = signature(session: 8)
            other.run = run
            #expect(verdict(verifier, value(other)) == .node(other))
        }
        var next = signature(session: 8)
        next.run = 99
        #expect(verdict(verifier, value(next)) == .otherSession(8))
    }
}
