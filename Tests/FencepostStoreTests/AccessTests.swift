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

    @Test("keeps users by name, their sessions while they exist, and groups")
    func users() async throws {
        try await withStore { store in
            var jane = User(id: "usr_1", name: "Jane", passwordHash: "$", role: .viewer, createdAt: MadeUp.start)
            jane.devices = [GlobPattern("jane/*")]
            jane.tags = ["vans"]
            #expect(try await store.add(jane))
            #expect(try await store.user(named: "jANE") == jane)
            #expect(try await store.user(id: "usr_1") == jane)
            let other = User(id: "usr_2", name: "JANE", passwordHash: "$", role: .admin, createdAt: MadeUp.start)
            #expect(try await !store.add(other))
            let former = jane
            jane.name = "Jane D."
            #expect(try await store.replace(former, with: jane, ending: .none) == .replaced)
            // What it was made from is no longer stored.
            #expect(try await store.replace(former, with: former, ending: .none) == .differs)
            #expect(try await store.add(other))
            #expect(try await store.users().map(\.id) == ["usr_2", "usr_1"])
            #expect(try await store.replace(jane, with: former, ending: .none) == .nameTaken)
            #expect(try await store.user(id: "usr_1") == jane)

            var session = UserSession(id: "ses_1", hash: [1], userID: "usr_1", createdAt: MadeUp.start)
            #expect(try await store.add(session, checkedBy: "$"))
            let second = UserSession(id: "ses_2", hash: [2], userID: "usr_1", createdAt: MadeUp.start)
            #expect(try await store.add(second, checkedBy: "$"))
            // The password was changed while another one was checked.
            let third = UserSession(id: "ses_3", hash: [3], userID: "usr_1", createdAt: MadeUp.start)
            #expect(try await !store.add(third, checkedBy: "other"))
            session.lastUsed = MadeUp.start + .seconds(60)
            try await store.update(session)
            let found = try await store.session(hash: [1])
            #expect(found?.session == session && found?.user == jane)
            #expect(try await store.replace(jane, with: jane, ending: .all(except: "ses_1")) == .replaced)
            #expect(try await store.sessions(of: "usr_1") == [session])
            #expect(try await store.removeUser(id: "usr_1"))
            #expect(try await store.session(hash: [1]) == nil)
            // A session of nobody is not stored, and what was removed does not come back.
            #expect(try await !store.add(session, checkedBy: "$"))
            try await store.update(session)
            #expect(try await store.replace(jane, with: jane, ending: .none) == .differs)
            #expect(try await store.user(id: "usr_1") == nil)
            #expect(try await store.sessions(of: "usr_1").isEmpty)

            try await store.save(DeviceGroup(tag: "vans", devices: [GlobPattern("van-*")]))
            try await store.save(DeviceGroup(tag: "vans", devices: [GlobPattern("car-*")]))
            #expect(try await store.groups() == [DeviceGroup(tag: "vans", devices: [GlobPattern("car-*")])])
            #expect(try await store.removeGroup(tag: "vans"))
        }
    }

    @Test("removes share links with the user or the token that made them")
    func shareOwners() async throws {
        try await withStore { store in
            let now = Timestamp(seconds: 1_772_000_000)
            let user = User(id: "usr_1", name: "Jane", passwordHash: "", role: .editor, createdAt: now)
            #expect(try await store.add(user))
            let token = AccessToken(id: "tok_1", name: "t", hash: [1], scopes: [.write], createdAt: now)
            try await store.save(token)
            #expect(try await store.token(id: "tok_1") == token)
            #expect(try await store.token(id: "tok_2") == nil)
            for (index, owner) in ["usr_1", "tok_1", "usr_2", nil].enumerated() {
                let share = Share(
                    id: "shr_\(index)", name: "", hash: [UInt8(index)], devices: [DeviceID("a")],
                    expires: now + .seconds(3600), createdAt: now, ownerID: owner)
                // One whose maker was removed meanwhile is not stored.
                #expect(try await store.add(share) == (owner != "usr_2"))
            }
            #expect(try await store.shares().map(\.ownerID) == ["usr_1", "tok_1", nil])
            #expect(try await store.removeUser(id: "usr_1"))
            #expect(try await store.shares().map(\.id) == ["shr_1", "shr_3"])
            #expect(try await store.removeToken(id: "tok_1"))
            #expect(try await store.shares().map(\.id) == ["shr_3"])
            // Nothing of a removed link is left for one with its id.
            let next = Share(
                id: "shr_0", name: "", hash: [9], devices: [DeviceID("b")], expires: now + .seconds(3600),
                createdAt: now)
            #expect(try await store.add(next))
            #expect(try await store.share(hash: [9])?.devices == [DeviceID("b")])
        }
    }

    @Test("keeps share links until they end or their devices are erased")
    func shares() async throws {
        try await withStore { store in
            func share(_ id: String, _ devices: [DeviceID], hours: Int) -> Share {
                Share(
                    id: id, name: id, hash: Array(id.utf8), devices: devices,
                    expires: MadeUp.start + .seconds(hours * 3600), createdAt: MadeUp.start)
            }
            let both = share("shr_1", [DeviceID("a"), DeviceID("b")], hours: 9)
            for one in [both, share("shr_2", [DeviceID("a")], hours: 9), share("shr_3", [DeviceID("b")], hours: 1)] {
                #expect(try await store.add(one))
            }
            #expect(try await store.share(hash: both.hash) == both)
            try await store.erase(DeviceID("a"))
            #expect(try await store.shares().map(\.id) == ["shr_1", "shr_3"])
            #expect(try await store.share(hash: both.hash)?.devices == [DeviceID("b")])
            try await store.removeExpiredAccess(before: MadeUp.start + .seconds(7200))
            #expect(try await store.shares().map(\.id) == ["shr_1"])
            #expect(try await store.removeShare(id: "shr_1"))
            #expect(try await store.shares().isEmpty)
        }
    }
}
