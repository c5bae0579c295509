import FencepostModel
import FencepostService
import FencepostStore
import FencepostTesting
import Testing

@Suite("Stored access") struct AccessTests {
    @Test("keeps tokens by their hash")
    func tokens() async throws {
        try await withStore { store in
            var token = AccessToken(
                id: "tok_1", name: "Jane", hash: [1, 2, 3], scopes: [.ingest, .read], createdAt: MadeUp.start)
            token.deviceID = DeviceID("jane/phone")
            token.encryptionKey = [9]
            token.expires = MadeUp.start + .seconds(60)
            try await store.save(token)
            try await store.save(
                AccessToken(id: "tok_2", name: "Ops", hash: [4], scopes: [.admin], createdAt: MadeUp.start))
            #expect(try await store.token(hash: [1, 2, 3]) == token)
            #expect(try await store.token(hash: [1, 2]) == nil)
            try await store.noteUse(["tok_1": MadeUp.start + .seconds(9), "none": MadeUp.start])
            // An earlier use that is noted late changes nothing.
            try await store.noteUse(["tok_1": MadeUp.start + .seconds(3)])
            token.lastUsed = MadeUp.start + .seconds(9)
            #expect(try await store.token(hash: [1, 2, 3]) == token)
            #expect(try await store.tokens().map(\.id) == ["tok_1", "tok_2"])
            #expect(try await store.removeToken(id: "tok_1"))
            #expect(try await !store.removeToken(id: "tok_1"))
            #expect(try await store.token(hash: [1, 2, 3]) == nil)
        }
    }

    @Test("lets a request be done once for its key, for a day")
    func idempotency() async throws {
        try await withStore { store in
            let key = IdempotencyKey(tokenID: "t", route: "POST /v1/regions", key: "k")
            func claim(_ hash: [UInt8] = [1], at seconds: Int64 = 0) async throws -> IdempotencyClaim {
                try await store.claim(key, requestHash: hash, now: MadeUp.start + .seconds(seconds))
            }
            #expect(try await claim() == .first)
            #expect(try await claim() == .running)
            #expect(try await claim([2]) == .mismatch)
            try await store.release(key)
            #expect(try await claim([2]) == .first)
            try await store.complete(key, status: 201, headers: ["location": "/x"], body: [7, 0])
            let done = IdempotencyClaim.done(status: 201, headers: ["location": "/x"], body: [7, 0])
            #expect(try await claim([2], at: 86_399) == done)
            #expect(try await claim([1], at: 86_399) == .mismatch)
            // What is done is not given back.
            try await store.release(key)
            #expect(try await claim([2]) == done)
            #expect(try await claim([1], at: 86_400) == .first)
        }
    }
}
