import FencepostModel
import FencepostTesting
import Foundation

/// Makes requests with values at the ends of what their formats can state, among ordinary ones.
///
/// Equal seeds make equal requests.
struct EndValues {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func chance(_ probability: Double) -> Bool { random.unit() < probability }
    mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    mutating func one<Element>(of list: [Element]) -> Element { list[number(below: list.count)] }

    /// Numbers that once ended the process: where squares, sums and magnitudes are beyond their types.
    private static let sharpNumbers = [
        "-9223372036854775808", "9223372036854775807", "9223372036854775808", "1e155", "1e200", "1e300", "-1e300",
        "1e19",
    ]

    /// A number at the end of a type or of a range, or a power of 2 or 10 with any exponent.
    mutating func endNumber() -> String {
        switch number(below: 8) {
        case 0, 1: return one(of: Self.sharpNumbers)
        case 2: return "\(chance(0.5) ? "-" : "")1e\(number(below: 617) - 308)"
        case 3:
            let power = UInt64(1) << UInt64(number(below: 64))
            return "\(chance(0.5) ? "-" : "")\(power - UInt64(number(below: 2)))"
        default: return one(of: ValueEnds.numbers)
        }
    }

    /// The number, or now and then one at an end.
    mutating func number(_ ordinary: Double, _ probability: Double) -> String {
        chance(probability) ? endNumber() : "\((ordinary * 1e6).rounded() / 1e6)"
    }

    /// The text with some of its numbers replaced.
    ///
    /// - Parameters:
    ///   - text: of any format.
    ///   - probability: that of each number.
    ///   - isJSON: leaves out what would make the whole text invalid.
    /// - Returns: the changed text.
    mutating func mutated(_ text: String, _ probability: Double, isJSON: Bool) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0.isNumber || $0 == "-" || $0 == "\"" }) {
            result += rest[..<start]
            rest = rest[start...]
            if rest.first == "\"" {
                // Texts of JSON are replaced whole, seldom; names of members are texts too.
                let end = rest.dropFirst().firstIndex(of: "\"") ?? rest.endIndex
                let isMember = end < rest.endIndex && rest[end...].dropFirst().first == ":"
                if isJSON, !isMember, end < rest.endIndex, chance(probability / 4) {
                    let value = chance(0.5) ? one(of: ValueEnds.texts) : one(of: ValueEnds.times)
                    result += Self.quoted(value)
                    rest = rest[end...].dropFirst()
                } else if isJSON, end < rest.endIndex, isMember {
                    result += rest[...end]
                    rest = rest[end...].dropFirst()
                } else {
                    result.append("\"")
                    rest = rest.dropFirst()
                }
                continue
            }
            let token = rest.prefix { $0.isNumber || "+-.eE".contains($0) }
            rest = rest[token.endIndex...]
            guard token.contains(where: \.isNumber), chance(probability) else {
                result += token
                continue
            }
            result += !isJSON && chance(0.2) ? one(of: ValueEnds.words) : endNumber()
        }
        return result + rest
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

// MARK: - Locations

/// A device that walks between places, with values at their ends in some of what it sends.
struct EndValueDevice {
    let name: String
    var time: Timestamp
    private var latitude = 50.005
    private var longitude = 10.005
    private var isTravelling = false

    init(_ name: String, at time: Timestamp) { (self.name, self.time) = (name, time) }

    /// How a fix follows those before it.
    private enum Order {
        /// Seconds or minutes after the last one, near it; seldom hours.
        case next
        /// Hours before the last one: its day is evaluated again, in the background.
        case late
        /// At the moment of the last one, with other values.
        case repeated
        /// Kilometres from the last one; the next fix is near that again.
        case leap
        /// A day ahead.
        case ahead
    }

    private static func order(_ values: inout EndValues) -> Order {
        switch values.number(below: 40) {
        case 0...3: .late
        case 4...6: .repeated
        case 7...10: .leap
        case 11: .ahead
        default: .next
        }
    }

    /// The members of the next fix by the names of Fencepost's own format, as text; texts are not quoted.
    ///
    /// Fixes out of order have end values three times as often: few code paths take them, and the background does.
    mutating func fix(_ values: inout EndValues, _ usualProbability: Double) -> [(name: String, text: String)] {
        if values.chance(0.05) { isTravelling.toggle() }
        let step = isTravelling ? 0.003 : 0.0002
        latitude += (values.random.unit() - 0.5) * step
        longitude += (values.random.unit() - 0.5) * step
        if values.chance(0.05) { (latitude, longitude) = (50.005, 10.005) }
        var (latitude, moment, probability) = (latitude, time, 3 * usualProbability)
        switch Self.order(&values) {
        case .late: moment = time - .seconds(600 * (1 + values.number(below: 600)))
        case .repeated: break
        case .leap:
            latitude += 0.02 + values.random.unit()
            time = time + .seconds(10)
            moment = time
        case .ahead: moment = time + .seconds(86_000)
        case .next:
            time = time + .seconds(values.chance(0.03) ? 7200 : 10 + values.number(below: 300))
            (moment, probability) = (time, usualProbability)
        }
        var members = [("deviceId", name), ("timestamp", moment.rfc3339)]
        if values.chance(probability / 4) {
            members[1].1 = values.chance(0.5) ? values.one(of: ValueEnds.times) : values.endNumber()
        }
        members.append(("latitude", values.number(latitude, probability / 6)))
        members.append(("longitude", values.number(longitude, probability / 6)))
        for (member, ordinary) in [
            ("horizontalAccuracy", 5 + 40 * values.random.unit()), ("altitude", 300), ("verticalAccuracy", 4),
            ("speed", isTravelling ? 12 : 0.5), ("course", 359 * values.random.unit()), ("batteryLevel", 0.5),
        ] where values.chance(0.8) {
            members.append((member, values.number(ordinary, probability)))
        }
        if values.chance(0.2) { members.append(("floor", values.chance(probability) ? values.endNumber() : "3")) }
        if values.chance(probability / 2) { members.append(("trigger", values.one(of: ValueEnds.texts))) }
        return members
    }
}

extension EndValues {
    /// A request of one of the routes that take locations.
    struct Upload {
        var method = "POST"
        var path: String
        var type = "application/json"
        var body: String?
    }

    mutating func upload(of device: inout EndValueDevice, _ probability: Double) -> Upload {
        let count = 1 + number(below: 4)
        var fixes: [[(name: String, text: String)]] = []
        for _ in 0..<count { fixes.append(device.fix(&self, probability)) }
        switch number(below: 9) {
        case 0: return Upload(path: "/v1/locations", body: "[" + fixes.map(Self.native).joined(separator: ",") + "]")
        case 1, 2:
            let lines = fixes.map(Self.native).joined(separator: "\n")
            return Upload(path: "/v1/locations", type: "application/x-ndjson", body: lines)
        case 3:
            let features = fixes.map { fix in
                let members = fix.filter { !["latitude", "longitude"].contains($0.name) }
                return #"{"type":"Feature","geometry":{"type":"Point","coordinates":["#
                    + Self.value(fix, "longitude") + "," + Self.value(fix, "latitude") + "]},\"properties\":"
                    + Self.native(members) + "}"
            }
            return Upload(
                path: "/v1/locations", type: "application/geo+json",
                body: #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}")
        case 4:
            let features = fixes.map { fix in
                let names = [
                    "deviceId": "device_id", "horizontalAccuracy": "horizontal_accuracy",
                    "verticalAccuracy": "vertical_accuracy", "batteryLevel": "battery_level",
                ]
                let members = fix.filter { !["latitude", "longitude"].contains($0.name) }.map {
                    (names[$0.name] ?? $0.name, $0.text)
                }
                return #"{"type":"Feature","geometry":{"type":"Point","coordinates":["#
                    + Self.value(fix, "longitude") + "," + Self.value(fix, "latitude") + "]},\"properties\":"
                    + Self.native(members) + "}"
            }
            return Upload(path: "/ingest/overland", body: #"{"locations":["# + features.joined(separator: ",") + "]}")
        case 5:
            let names = [
                "timestamp": "tst", "latitude": "lat", "longitude": "lon", "horizontalAccuracy": "acc",
                "altitude": "alt", "verticalAccuracy": "vac", "speed": "vel", "course": "cog", "batteryLevel": "batt",
                "trigger": "t",
            ]
            let members = fixes[0].compactMap { member in
                names[member.name].map { ($0, member.name == "timestamp" ? Self.seconds(member.text) : member.text) }
            }
            return Upload(
                path: "/pub?u=\(device.name)&d=phone",
                body: #"{"_type":"location","# + Self.native(members).dropFirst())
        case 6:
            let names = [
                "deviceId": "id", "timestamp": "timestamp", "latitude": "lat", "longitude": "lon",
                "horizontalAccuracy": "accuracy", "altitude": "altitude", "speed": "speed", "course": "bearing",
                "batteryLevel": "batt", "trigger": "event",
            ]
            return Upload(method: "GET", path: "/ingest/osmand?" + form(fixes[0], names), body: nil)
        case 7:
            let records = fixes.map { fix in
                let names = ["timestamp": "fixTime", "horizontalAccuracy": "accuracy"]
                let own = ["deviceId", "batteryLevel", "trigger"]
                let position = fix.filter { !own.contains($0.name) }.map { (names[$0.name] ?? $0.name, $0.text) }
                let attributes = fix.filter { own.dropFirst().contains($0.name) }.map {
                    ($0.name == "trigger" ? "alarm" : $0.name, $0.text)
                }
                return #"{"position":"# + Self.native(position).dropLast() + #","attributes":"#
                    + Self.native(attributes) + #"},"device":{"uniqueId":"\#(device.name)"}}"#
            }
            return Upload(path: "/ingest/traccar", body: "[" + records.joined(separator: ",") + "]")
        default:
            let names = [
                "deviceId": "id", "timestamp": "time", "latitude": "lat", "longitude": "lon",
                "horizontalAccuracy": "acc", "altitude": "alt", "verticalAccuracy": "vac", "speed": "spd",
                "course": "dir", "batteryLevel": "batt",
                "trigger": "t",
            ]
            return Upload(method: "GET", path: "/ingest/gpslogger?" + form(fixes[0], names), body: nil)
        }
    }

    private mutating func form(_ fix: [(name: String, text: String)], _ names: [String: String]) -> String {
        fix.compactMap { member in
            names[member.name].map { "\($0)=\(Self.encoded(chance(0.01) ? one(of: ValueEnds.words) : member.text))" }
        }.joined(separator: "&")
    }

    /// Seconds since 1970, as OwnTracks states times; other texts stay.
    private static func seconds(_ text: String) -> String {
        Timestamp(rfc3339: text).map { String($0.milliseconds / 1000) } ?? text
    }

    private static func value(_ fix: [(name: String, text: String)], _ name: String) -> String {
        fix.first { $0.name == name }?.text ?? "0"
    }

    private static func native(_ members: [(name: String, text: String)]) -> String {
        let texts = members.map { name, text in
            // Only the texts of these members are numbers always; a time may be either.
            let isNumber = ValueEnds.numbers.contains(text) || Double(text) != nil && !ValueEnds.words.contains(text)
            return "\"\(name)\":" + (isNumber ? text : quoted(text))
        }
        return "{" + texts.joined(separator: ",") + "}"
    }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
