import FencepostModel
import FencepostTesting
import FencepostWebhooks
import Testing

@Suite("Webhook signatures") struct WebhookSignerTests {
    let secret = "whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg=="
    let time = Timestamp(seconds: 1_772_353_800)
    let body = #"{"type":"region.entered","timestamp":"2026-03-01T08:30:00Z","data":{"deviceId":"jane/phone"}}"#

    @Test("equal the published test vector")
    func vector() throws {
        let signer = WebhookSigner([try WebhookSecret(secret)])
        #expect(
            signer.signature(id: "evt_01TEST", timestamp: time, body: body.utf8)
                == "v1,D7cQ+FN6cXoOGZ2+fBosH7kUK65xj/kcQxwAiPcofXQ=")
    }

    @Test("use whole seconds")
    func wholeSeconds() throws {
        let signer = WebhookSigner([try WebhookSecret(secret)])
        #expect(
            signer.signature(id: "evt_01TEST", timestamp: time + .milliseconds(999), body: body.utf8)
                == "v1,D7cQ+FN6cXoOGZ2+fBosH7kUK65xj/kcQxwAiPcofXQ=")
    }

    @Test("of several secrets are in their order, and each verifies")
    func rotation() throws {
        var random = SeededGenerator(seed: 1)
        let new = try WebhookSecret(WebhookSecret.generate(using: &random))
        let old = try WebhookSecret(secret)
        let key = try WebhookSecret(WebhookSecret.generateSigningKey(using: &random))
        let header = WebhookSigner([new, old, key]).signature(id: "evt_1", timestamp: time, body: body.utf8)
        let parts = header.split(separator: " ")
        #expect(parts.count == 3)
        #expect(parts[1] == WebhookSigner([old]).signature(id: "evt_1", timestamp: time, body: body.utf8))
        #expect(parts.map { $0.prefix { $0 != "," } } == ["v1", "v1", "v1a"])
        let publicKey = try WebhookSecret(try #require(key.publicKey))
        for one in [new, old, key, publicKey] {
            try WebhookVerifier([one]).verify(
                id: "evt_1", timestamp: "1772353800", signature: header, body: body.utf8, now: time)
        }
    }

    @Test(
        "are rejected when a part of the message differs",
        arguments: ["id", "timestamp", "body", "signature", "secret"])
    func tampering(what: String) throws {
        let other = "whsec_" + "ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yw=="
        let verifier = WebhookVerifier([try WebhookSecret(what == "secret" ? other : secret)])
        #expect(throws: WebhookVerifier.Failure.mismatch) {
            try verifier.verify(
                id: what == "id" ? "evt_02TEST" : "evt_01TEST",
                timestamp: what == "timestamp" ? "1772353801" : "1772353800",
                signature: what == "signature"
                    ? "v1,D7cQ+FN6cXoOGZ2+fBosH7kUK65xj/kcQxwAiPcofXU="
                    : "v1,D7cQ+FN6cXoOGZ2+fBosH7kUK65xj/kcQxwAiPcofXQ=",
                body: what == "body" ? Array((body + " ").utf8) : Array(body.utf8), now: time)
        }
    }

    @Test("are rejected when the timestamp is more than 300 s before or after now")
    func tolerance() throws {
        let verifier = WebhookVerifier([try WebhookSecret(secret)])
        func verify(_ offset: Duration) -> WebhookVerifier.Failure? {
            do throws(WebhookVerifier.Failure) {
                try verifier.verify(
                    id: "evt_01TEST", timestamp: "1772353800",
                    signature: "v1,D7cQ+FN6cXoOGZ2+fBosH7kUK65xj/kcQxwAiPcofXQ=", body: body.utf8,
                    now: time + offset)
                return nil
            } catch { return error }
        }
        for seconds in [-300, 0, 300] { #expect(verify(.seconds(seconds)) == nil) }
        for seconds in [-301, 301] {
            #expect(
                verify(.seconds(seconds))
                    == .timestampOutOfTolerance(age: .seconds(seconds), tolerance: .seconds(300)))
        }
    }

    @Test(
        "that cannot be verified are distinguished from invalid ones",
        arguments: ["", "v2,AAAA", "v1", "v1a,D7cQ+FN6cXoOGZ2+fBosH7kUK65xj/kcQxwAiPcofXQ=", "v1,no base64!"])
    func unusable(signature: String) throws {
        #expect(throws: WebhookVerifier.Failure.noUsableSignature) {
            try WebhookVerifier([try WebhookSecret(secret)]).verify(
                id: "evt_01TEST", timestamp: "1772353800", signature: signature, body: body.utf8, now: time)
        }
    }

    @Test("need a time in plain digits", arguments: ["", "-5", "+5", "1772353800.0", "now", "99999999999999999999"])
    func malformedTime(text: String) throws {
        #expect(throws: WebhookVerifier.Failure.malformedTimestamp(text)) {
            try WebhookVerifier([try WebhookSecret(secret)]).verify(
                id: "e", timestamp: text, signature: "v1,AAAA", body: [], now: time)
        }
    }
}

@Suite("Webhook secrets") struct WebhookSecretTests {
    @Test("of 24 to 64 bytes are made and read", arguments: [24, 32, 64])
    func generated(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let text = WebhookSecret.generate(byteCount: count, using: &random)
        #expect(try WebhookSecret(text).canSign)
        #expect(text != WebhookSecret.generate(byteCount: count, using: &random))
    }

    @Test(
        "reject other texts",
        arguments: [
            ("", WebhookSecret.Failure.unknownPrefix),
            ("ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg==", .unknownPrefix),
            ("whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg", .notBase64),
            ("whsec_c2hvcnQ=", .wrongLength(expected: "24 to 64", found: 5)),
            ("whsec_" + String(repeating: "AAAA", count: 22), .wrongLength(expected: "24 to 64", found: 66)),
            ("whsk_c2hvcnQ=", .wrongLength(expected: "32 or 64", found: 5)),
            ("whpk_c2hvcnQ=", .wrongLength(expected: "32", found: 5)),
        ])
    func refused(text: String, failure: WebhookSecret.Failure) {
        #expect(throws: failure) { try WebhookSecret(text) }
    }

    @Test("do not show in a description")
    func description() throws {
        let text = "whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg=="
        let secret = try WebhookSecret(text)
        #expect("\(secret)" == "whsec_…")
        #expect(String(reflecting: secret) == "whsec_…")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("ZmVu"))
    }

    @Test("of Ed25519 may bring their public half along, if it is theirs")
    func bothHalves() throws {
        // Seed and key of RFC 8032, 7.1, test 1.
        let seed = "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
        let both = "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/tPJZAc6DuFy89qmIyWvAhpo9wdRGg=="
        #expect(try WebhookSecret("whsk_" + seed).publicKey == "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
        #expect(try WebhookSecret("whsk_" + both).publicKey == "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
        let wrong = String(both.dropLast(8)) + "AAAAAA=="
        #expect(throws: WebhookSecret.Failure.notAKey) { try WebhookSecret("whsk_" + wrong) }
    }
}
