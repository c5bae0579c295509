import FencepostCrypto
internal import FencepostJSON
public import FencepostModel
internal import Foundation

/// Decodes requests of OwnTracks apps: one JSON object, or an array of them (rules I1, I10 to I14).
///
/// https://owntracks.org/booklet/tech/json/
public enum OwnTracksIngest {
    /// Decodes one payload, or an array of them.
    ///
    /// - Parameters:
    ///   - body: the body of the request or of the message.
    ///   - sender: the device of the token, the headers or the broker's topic; it takes precedence over the payload's
    ///     own `topic`. Without one, `owntracks/<user>/<device>` of the payload counts, then the default device of the
    ///     rules, then the app's two letters (`tid`).
    ///   - rules: which fixes are accepted.
    ///   - key: for payloads of `_type` `encrypted`, 1 to 32 bytes.
    ///   - limit: the largest number of records.
    /// - Returns: the locations, the reports and the rejected records, in the order of the body.
    /// - Throws: `invalid_json`, also for a body that is neither an object nor an array; `too_many_locations`;
    ///   `cannot_decrypt`, after which the phone keeps the payload. Other problems are rejections, because the phone
    ///   would resend the request forever (rule I13).
    public static func decode(
        _ body: some Collection<UInt8>, sender: DeviceID?, rules: FixRules, key: [UInt8]?,
        limit: Int = IngestRequest.defaultLimit
    ) throws(Rejection) -> IngestRequest {
        let root = try IngestJSON.parse(body)
        var decoder = Decoder(sender: sender, rules: rules, key: key)
        if let array = root.array {
            try IngestRequest.check(count: array.count, limit: limit)
            for (index, element) in array.enumerated() { try decoder.take(element, at: index) }
        } else {
            guard root.object != nil else { throw IngestJSON.notAnObject }
            try decoder.take(root, at: 0)
        }
        return decoder.request
    }

    private struct Decoder {
        let sender: DeviceID?
        let rules: FixRules
        let key: [UInt8]?
        var names = DeviceNames()
        var request = IngestRequest()

        mutating func take(_ element: JSONElement, at index: Int) throws(Rejection) {
            guard element["_type"]?.string == "encrypted" else {
                read(element, at: index)
                return
            }
            // Text that is no box will never be one; an error would block the phone's queue.
            guard let text = element["data"]?.string, let sealed = Data(base64Encoded: text),
                sealed.count >= SecretBox.nonceCount
            else {
                let rejection = Rejection(
                    .invalidShape, "the data of the encrypted payload is not a libsodium secret box")
                request.reject(rejection, at: index, device: sender)
                return
            }
            guard let key else {
                throw Rejection(.cannotDecrypt, "the payload is encrypted, and its device has no key")
            }
            guard let message = SecretBox.open(Array(sealed), key: key) else {
                throw Rejection(.cannotDecrypt, "the payload was not encrypted with the key of its device")
            }
            do throws(Rejection) {
                let inner = try IngestJSON.parse(message)
                guard inner["_type"]?.string != "encrypted" else {
                    throw Rejection(.invalidShape, "the payload is encrypted more than once")
                }
                read(inner, at: index)
            } catch {
                request.reject(error, at: index, device: sender)
            }
        }

        private mutating func read(_ element: JSONElement, at index: Int) {
            do throws(Rejection) {
                try element.checkNames()
                let payload = try OwnTracksPayload(
                    element, device: sender, precedence: .device, rules: rules, names: &names)
                switch payload {
                case .fix(let raw): request.take(raw, at: index, rules: rules)
                case .reports(let reports):
                    for report in reports {
                        switch report {
                        case .success(let report): request.reports.append(report)
                        case .failure(let rejection): request.reject(rejection, at: index, device: device(of: element))
                        }
                    }
                case .other: request.ignored += 1
                }
            } catch {
                request.reject(error, at: index, device: device(of: element))
            }
        }

        private mutating func device(of element: JSONElement) -> DeviceID? {
            let found = try? OwnTracksPayload.sender(
                of: element, device: sender, precedence: .device, rules: rules, names: &names)
            return (found ?? nil) ?? rules.defaultDevice
        }
    }
}
