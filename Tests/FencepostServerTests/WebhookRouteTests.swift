import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostStore
import FencepostTesting
import NIOHTTP1
import Synchronization
import Testing

@Suite("Endpoints and apps over HTTP") struct WebhookRouteTests {
    @Test("show a secret once, and rotate it") func endpoints() async throws {
        try await TestServer.run { server in
            let made = try await server.post("/v1/endpoints", #"{"url":"https://example.org/a","events":["region.*"]}"#)
            #expect(made.status == 201)
            let id = try #require(try made.json["id"]?.string)
            let secret = try #require(try made.json["secret"]?.string)
            #expect(id.hasPrefix("end_") && secret.hasPrefix("whsec_") && made["Location"] == "/v1/endpoints/\(id)")
            let shown = try await server.get("/v1/endpoints/\(id)")
            #expect(try shown.json["secret"] == nil && shown.json["state"]?.string == "active")
            #expect(!shown.text.contains(secret))
            #expect(try !(await server.get("/v1/endpoints")).text.contains("secret"))
            #expect(server.sender.changes.withLock { $0 } == 1)
            let rotated = try await server.post("/v1/endpoints/\(id)/rotate-secret", "{}").json
            #expect(rotated["secret"]?.string != secret)
            let stored = try #require(try await server.store.endpoint(id: id)?.endpoint)
            #expect(stored.secrets.map(\.value) == [try #require(rotated["secret"]?.string), secret])
            #expect(stored.secrets[1].expires == TestServer.now + .seconds(86_400))

            let tag = try #require(shown["ETag"])
            func patch(_ json: String, _ tag: String? = nil) async throws -> TestServer.Reply {
                try await server.send(
                    .PATCH, "/v1/endpoints/\(id)", body: Array(json.utf8), type: "application/json",
                    headers: tag.map { [("If-Match", $0)] } ?? [])
            }
            let disabled = try await patch(#"{"state":"disabled","description":"x"}"#, tag)
            #expect(
                try disabled.json["state"]?.string == "disabled" && disabled.json["events"]?[0]?.string == "region.*")
            #expect(try await patch(#"{"state":"active"}"#, tag).status == 412)
            #expect(
                try await server.post("/v1/endpoints/\(id)/recover", #"{"since":"2026-03-01T00:00:00Z"}"#).status == 409
            )
            #expect(try await patch(#"{"state":"active"}"#).json["state"]?.string == "active")
            #expect(try await patch(#"{"state":"asleep"}"#).status == 422)
            #expect(try await patch(#"{"secrets":[]}"#).code == "unknown_key")
            #expect(try await server.post("/v1/endpoints/\(id)/test", "").json["status"]?.int == 200)
            #expect(try await server.get("/v1/endpoints/\(id)/health").json["consecutiveFailures"]?.int == 0)

            for bad in [#"{"url":"http://example.org"}"#, #"{"url":"https://e.org","secret":"whsec_x"}"#, "{}", "[]"] {
                let reply = try await server.post("/v1/endpoints", bad)
                #expect(reply.status == 422, "\(bad)")
            }
            #expect(
                try await server.post("/v1/endpoints", "{\"id\":\"\(id)\",\"url\":\"https://e.org\"}").status == 409)
            #expect(try await server.put("/v1/endpoints/mine", #"{"url":"https://e.org"}"#).status == 201)
            #expect(try await server.put("/v1/endpoints/mine", #"{"url":"https://f.org"}"#).status == 200)
            #expect(try await server.send(.DELETE, "/v1/endpoints/\(id)").status == 204)
            #expect(try await server.get("/v1/endpoints/\(id)").status == 404)
        }
    }

    @Test("recover missed messages") func recover() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane/phone")
            _ = try await server.put("/v1/endpoints/ops", #"{"url":"https://e.org"}"#)
            let since = #"{"since":"2026-03-01T00:00:00Z"}"#
            let recovered = try await server.post("/v1/endpoints/ops/recover", since).json
            #expect(recovered["queued"]?.int == 1 && recovered["retried"]?.int == 0)
            #expect(try await server.post("/v1/endpoints/ops/recover", since).json["queued"]?.int == 0)
            let delivery = try #require(
                try await server.get("/v1/deliveries?endpointId=ops&status=pending").json["data"]?[0])
            #expect(delivery["eventType"]?.string == "region.entered")
            let id = try #require(delivery["id"]?.string)
            #expect(try await server.post("/v1/deliveries/\(id)/retry", "").status == 202)
            #expect(try await server.get("/v1/deliveries/\(id)").json["status"]?.string == "pending")
            #expect(try await server.get("/v1/deliveries?status=lost").status == 422)
            #expect(try await server.post("/v1/deliveries/none/retry", "").status == 404)
        }
    }

    static let courier =
        #"{"id":"courier","given":{"grant":"always","lifecycle":"terminated","terminatedBy":"system"},"#
        + #""services":["visits"]}"#

    @Test("add simulated apps and change their state") func apps() async throws {
        try await TestServer.run { server in
            let made = try await server.post("/v1/apps", Self.courier)
            #expect(made.status == 201 && made["Location"] == "/v1/apps/courier")
            #expect(try made.json["state"]?["lifecycle"]?.string == "terminated")
            #expect(try await server.post("/v1/apps", Self.courier).status == 409)
            let unnamed = try await server.post("/v1/apps", #"{"id":"a","name":{},"services":["visits"]}"#)
            #expect(try unnamed.status == 422 && unnamed.json["errors"]?[0]?["pointer"]?.string == "/name")
            let reports = try await server.post("/v1/apps/courier/steps", #"{"do":"launch","by":"user"}"#)
            #expect(reports.status == 200)
            #expect(try reports.json["steps"]?[0]?["do"]?.string == "launch")
            #expect(try await server.get("/v1/apps/courier").json["state"]?["lifecycle"]?.string == "foreground")
            let bad = try await server.post("/v1/apps/courier/steps", #"[{"do":"launch"},{"do":"fly"}]"#)
            #expect(bad.status == 422)
            #expect(try bad.json["errors"]?.array?.contains { $0["pointer"]?.string?.hasPrefix("/1") == true } == true)
            #expect(try await server.post("/v1/apps/none/steps", #"{"do":"unlock"}"#).status == 404)
            #expect(try await server.get("/v1/apps/courier/decisions").json["data"]?.count == 0)
            #expect(try await server.put("/v1/apps/courier", Self.courier).status == 200)
            #expect(try await server.put("/v1/apps/other", Self.courier).code == "id_mismatch")
            #expect(try await server.send(.DELETE, "/v1/apps/courier").status == 204)
            #expect(try await server.send(.DELETE, "/v1/apps/courier").status == 404)
        }
    }

    @Test(
        "explain one decision, and open no file named by a request",
        arguments: [
            "/v1/explain", "/v1/apps", "/v1/apps/courier/steps",
        ])
    func explain(path: String) async throws {
        try await TestServer.run { server in
            let question =
                #"{"given":{"grant":"denied","lifecycle":"terminated"},"event":{"service":"visits","kind":"arrival"}}"#
            let delivery = try await server.post("/v1/explain", question).json
            #expect(delivery["relaunch"]?.bool == false && delivery["decidingRule"]?.string?.isEmpty == false)
            #expect(try await server.post("/v1/explain?policy=none", question).status == 422)
            let named =
                switch path {
                case "/v1/explain":
                    #"{"given":{"infoPlist":"/etc/passwd"},"event":{"service":"visits","kind":"arrival"}}"#
                case "/v1/apps": #"{"id":"a","given":{"entitlements":"/etc/passwd"},"services":["visits"]}"#
                default: #"{"do":"updateApp","infoPlist":"/etc/passwd"}"#
                }
            let refused = try await server.post(path, named)
            #expect(
                refused.status == 422 && refused.text.contains("/infoPlist") != refused.text.contains("/entitlements"))
        }
    }

    @Test("perform a request with an Idempotency-Key once") func idempotency() async throws {
        try await TestServer.run { server in
            let body = #"{"url":"https://example.org/a"}"#
            let headers = [("Idempotency-Key", "\"one\"")]
            let first = try await server.post("/v1/endpoints", body, headers: headers)
            let again = try await server.post("/v1/endpoints", body, headers: [("Idempotency-Key", "one")])
            #expect(first.status == 201 && again.status == 201 && again.body == first.body)
            #expect(first["Idempotent-Replayed"] == nil && again["Idempotent-Replayed"] == "true")
            #expect(again["Location"] == first["Location"])
            #expect(try await server.get("/v1/endpoints").json["data"]?.count == 1)
            let other = try await server.post("/v1/endpoints", #"{"url":"https://example.org/b"}"#, headers: headers)
            #expect(other.status == 422 && other.code == "idempotency_key_reused")
            // An error response is repeated too. Keys of another token are independent.
            let refusedKey = [("Idempotency-Key", "two")]
            #expect(try await server.post("/v1/endpoints", "{}", headers: refusedKey).status == 422)
            let repeated = try await server.post("/v1/endpoints", "{}", headers: refusedKey)
            #expect(repeated.status == 422 && repeated["Idempotent-Replayed"] == "true")
            let writer = try await server.issue(["write"])
            let second = try await server.post("/v1/endpoints", body, headers: headers, token: writer)
            #expect(second.status == 201 && second.body != first.body)
            let invalid = try await server.post("/v1/endpoints", body, headers: [("Idempotency-Key", "\"\"")])
            #expect(invalid.status == 400)
        }
    }
}
