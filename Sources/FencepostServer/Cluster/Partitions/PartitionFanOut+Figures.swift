import FencepostAnalysis
import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import HTTPTypes
import Hummingbird

/// Figures of all devices, which are merged before they are written in the wanted format.
extension PartitionFanOut {
    /// The request for one period in all partitions, also where it ends now.
    private func asked(_ question: PartitionQuestion) -> PartitionRequest {
        let hasEnd = question.query.items.contains { $0.name == "to" }
        return question.asked(adding: hasEnd ? [] : [("to", now().rfc3339)], isMarked: true)
    }

    /// The trips of all devices.
    func trips(_ question: PartitionQuestion) async throws -> Response {
        let answers = try await question.answers(to: asked(question))
        let texts = try merged(answers, question.order) { trip in
            trip["deviceId"]?.string.map { .text(Array($0.utf8)) }
        }
        let format = question.query["format"].flatMap { TripTexts.Format(rawValue: $0) } ?? .json
        return written(try TripTexts.response(texts, format, units(question)), with: answers[0])
    }

    /// The visits of all devices: a page of them, or a file.
    func visits(_ question: PartitionQuestion) async throws -> Response {
        // The partitions refuse a format that does not exist.
        guard let format = question.query["format"].flatMap({ VisitTexts.FileFormat(rawValue: $0) }) else {
            return try await page(question, by: .cursorTime).response
        }
        let answers = try await question.answers(to: asked(question))
        let texts = try merged(answers, question.order) { visit in
            visit["start"]?.string.flatMap { Timestamp(rfc3339: $0) }.map { .time($0.milliseconds) }
        }
        return written(try VisitTexts.file(texts, format), with: answers[0])
    }

    /// The presences of all devices: a page of them, or a file.
    func presences(_ question: PartitionQuestion) async throws -> Response {
        // The partitions refuse a format that does not exist.
        guard let format = question.query["format"].flatMap({ PresenceTexts.FileFormat(rawValue: $0) }) else {
            return try await page(question, by: .device).response
        }
        let answers = try await question.answers(to: question.asked(isMarked: true))
        let texts = try merged(answers, .ascending) { presence in
            presence["deviceId"]?.string.map { .text(Array($0.utf8)) }
        }
        return written(try PresenceTexts.file(texts, format), with: answers[0])
    }

    /// The rounds of all devices: a list of them, or a file.
    func rounds(_ question: PartitionQuestion) async throws -> Response {
        // The partitions refuse a format that does not exist.
        guard let format = question.query["format"].flatMap({ RoundTexts.FileFormat(rawValue: $0) }) else {
            return try await list(question, by: .time("start")).response
        }
        let answers = try await question.answers(to: question.asked(isMarked: true))
        let texts = try merged(answers, .ascending) { row in
            row["start"]?.string.flatMap { Timestamp(rfc3339: $0) }.map { .time($0.milliseconds) }
        }
        return written(try RoundTexts.file(texts, format), with: answers[0])
    }

    /// The texts of rows that the partitions have written, by the key of a row.
    private func merged(
        _ answers: [PartitionAnswer], _ order: HistoryOrder, by key: (JSONElement) -> RowKey?
    ) throws -> [String] {
        var merge = PartitionMerge(after: answers.map { _ in nil }, order: order)
        for (partition, answer) in answers.enumerated() {
            let rows = try (answer.json?["data"]?.array.map(Array.init) ?? []).map { row in
                guard let key = key(row), let text = row["text"]?.string else { throw Problem.internalError }
                return PartitionRow(bytes: Array(text.utf8)[...], key: key, cursor: "")
            }
            merge.add(rows, hasMore: false, to: partition)
        }
        var texts: [String] = []
        while let row = merge.next() { texts.append(String(decoding: row.bytes, as: UTF8.self)) }
        return texts
    }

    /// The summary of all devices.
    func summary(_ question: PartitionQuestion) async throws -> Response {
        let answers = try await question.answers(to: asked(question))
        let parts = answers.compactMap { $0.json.flatMap { Summary(exact: $0) } }
        guard parts.count == answers.count, let zone = TimeZone(identifier: parts[0].timeZone) else {
            throw Problem.internalError
        }
        var builder = SummaryBuilder(
            by: parts[0].grouping, period: parts[0].period, timeZone: zone, dayStart: parts[0].dayStart)
        for part in parts { builder.add(part) }
        let format = question.query["format"].flatMap { API.SummaryFormat(rawValue: $0) } ?? .json
        var names: [String: String] = [:]
        for answer in answers {
            for member in answer.json?["names"]?.object.map(Array.init) ?? [] {
                names[member.name] = member.value.string
            }
        }
        return written(
            try API.response(builder.finish(), format, names: names, units: units(question)), with: answers[0])
    }

    /// The units of a workbook, which the partitions have checked.
    private func units(_ question: PartitionQuestion) -> UnitSystem {
        question.query["units"].flatMap(UnitSystem.init(rawValue:)) ?? .metric
    }

    /// A response with the fields that the answers of the partitions have besides those of the content.
    private func written(_ response: RouteResponse, with answer: PartitionAnswer) -> Response {
        var encoded = response.encoded()
        for field in answer.headers where encoded.headers[field.name] == nil && field.name != FanOutMark.device {
            encoded.headers.append(field)
        }
        return encoded
    }
}
