import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import HTTPTypes
import Hummingbird

/// Answers of which each partition has a share, or one of them all.
extension PartitionFanOut {
    /// The answer of the part that has what the path names; 404 when none has.
    func oneThatHasIt(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        typealias Outcome = Result<PartitionAnswer, any Error>
        let request = question.asked()
        let outcomes = await withTaskGroup(of: (Int, Outcome).self) { group in
            for (index, part) in (partitions.devices + [partitions.configuration]).enumerated() {
                group.addTask {
                    do {
                        return (index, .success(try await question.answer(to: request, from: part)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var outcomes: [(Int, Outcome)] = []
            for await (index, outcome) in group {
                if case .success(let answer) = outcome, answer.isSuccess {
                    group.cancelAll()
                    return [(index, outcome)]
                }
                outcomes.append((index, outcome))
            }
            return outcomes.sorted { $0.0 < $1.0 }
        }
        let others = outcomes.first { _, outcome in
            if case .success(let answer) = outcome { answer.status != .notFound } else { true }
        }
        guard let outcome = (others ?? outcomes.first)?.1 else { throw Problem.internalError }
        return try outcome.get()
    }

    // MARK: Imports

    /// The newest imports, each with the shares of all partitions that have one.
    func imports(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        let answers = try await question.answers(to: question.asked())
        var (ids, shares): ([String], [String: [JSONElement]]) = ([], [:])
        for answer in answers {
            for share in answer.json?["data"]?.array.map(Array.init) ?? [] {
                guard let id = share["id"]?.string else { throw Problem.internalError }
                if shares[id] == nil { ids.append(id) }
                shares[id, default: []].append(share)
            }
        }
        func time(_ id: String) -> String { shares[id]?.first?["createdAt"]?.string ?? "" }
        // Times are texts of one form. Those of one time stay in the order of their partitions.
        let newest = ids.enumerated().sorted { (time($1.element), $0.offset) < (time($0.element), $1.offset) }
        let limit = question.query["limit"].flatMap { Int($0) } ?? Call.defaultLimit
        let rows = newest.prefix(limit).compactMap { id in
            shares[id.element].flatMap { found in found.first.map { PartitionImport.merged(found, like: $0)[...] } }
        }
        guard let page = PartitionPage(answers[0].bytes) else { throw Problem.internalError }
        return answers[0].with(page.with(rows))
    }

    /// One import, with the shares of all partitions that have one; or the end of all of them.
    func `import`(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        let request = question.asked()
        let answers = try await withThrowingTaskGroup(of: (Int, PartitionAnswer).self) { group in
            for partition in 0..<partitions.count {
                group.addTask { (partition, try await question.answer(to: request, from: .partition(partition))) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
        // A partition without a device of the file has no share.
        if let refusal = answers.first(where: { !$0.isSuccess && $0.status != .notFound }) { return refusal }
        let found = answers.filter(\.isSuccess)
        guard let first = found.first else { return answers[0] }
        let shares = found.compactMap(\.json)
        return shares.first.map { first.with(PartitionImport.merged(shares, like: $0)) } ?? first
    }

    /// Lets each partition do its share, and adds up the numbers in their answers.
    func sum(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        let answers = try await question.answers(to: question.asked())
        guard let members = answers[0].json?.object else { throw Problem.internalError }
        var writer = JSONWriter()
        writer.beginObject()
        for member in members {
            writer.member(member.name, answers.reduce(0) { $0.addingClamped($1.json?[member.name]?.int ?? 0) })
        }
        writer.endObject()
        return answers[0].with(writer.bytes)
    }

    /// What a share link shows: each device as its partition knows it.
    func shared(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        let answers = try await question.answers(to: question.asked())
        let lists = answers.map { PartitionPage($0.bytes, rows: "devices") }
        guard let first = lists[0] else { throw Problem.internalError }
        let devices = try first.rows.enumerated().map { index, row in
            guard let id = row.value["id"]?.string,
                let rows = lists[partitions.partition(of: DeviceID(id))]?.rows, index < rows.count
            else { throw Problem.internalError }
            return rows[index].bytes
        }
        return answers[0].with(first.with(devices))
    }

    // MARK: Endpoints

    /// The results of an endpoint in all partitions: the last success and failure of any, and the failures in a row of the
    /// partition with the most.
    func endpointHealth(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        let configuration = try await question.answer(to: question.asked(), from: partitions.configuration)
        guard configuration.isSuccess else { return configuration }
        let answers = [configuration] + (try await question.answers(to: question.asked()))
        let figures = answers.compactMap(\.json)
        func time(_ name: String, _ choose: ([Timestamp]) -> Timestamp?) -> Timestamp? {
            choose(figures.compactMap { $0[name]?.string.flatMap { Timestamp(rfc3339: $0) } })
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("consecutiveFailures", figures.compactMap { $0["consecutiveFailures"]?.int }.max() ?? 0)
        writer.member("lastSuccess", time("lastSuccess") { $0.max() })
        writer.member("firstFailure", time("firstFailure") { $0.min() })
        writer.member("lastFailure", time("lastFailure") { $0.max() })
        writer.endObject()
        return configuration.with(writer.bytes)
    }

    /// A page of endpoints, each as a partition has it that has disabled it.
    func endpoints(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        let configuration = try await question.answer(to: question.asked(), from: partitions.configuration)
        guard configuration.isSuccess else { return configuration }
        let copies = try await question.answers(to: question.asked())
        guard let page = PartitionPage(configuration.bytes) else { throw Problem.internalError }
        var disabled: [String: ArraySlice<UInt8>] = [:]
        for row in copies.flatMap({ PartitionPage($0.bytes)?.rows ?? [] }) {
            guard row.value["state"]?.string == "disabled", let id = row.value["id"]?.string else { continue }
            disabled[id] = disabled[id] ?? row.bytes
        }
        let rows = page.rows.map { row in row.value["id"]?.string.flatMap { disabled[$0] } ?? row.bytes }
        return configuration.with(page.with(rows), link: configuration.headers[.link])
    }

    /// An endpoint, as a partition has it that has disabled it. Its tag is that of the configuration, with which a change
    /// is compared.
    func endpoint(_ question: PartitionQuestion, ifNoneMatch known: String?) async throws -> Response {
        let configuration = try await question.answer(to: question.asked(), from: partitions.configuration)
        guard configuration.isSuccess else { return configuration.response }
        let copies = try await question.answers(to: question.asked())
        if let copy = copies.first(where: { $0.json?["state"]?.string == "disabled" }) {
            return configuration.with(copy.bytes).response
        }
        guard let known, let tag = configuration.headers[.eTag],
            EntityTag(of: configuration.bytes).isNamed(in: known, weakly: true)
        else { return configuration.response }
        var response = RouteResponse(.notModified, headers: [.eTag: tag])
        response.headers[.requestID] = configuration.headers[.requestID]
        return response.encoded()
    }

    // MARK: Tokens

    /// A page of tokens, each as the part has it in which it was used last.
    func tokens(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        let configuration = try await question.answer(to: question.asked(), from: partitions.configuration)
        guard configuration.isSuccess else { return configuration }
        let copies = try await question.answers(to: question.asked())
        guard let page = PartitionPage(configuration.bytes) else { throw Problem.internalError }
        var newest: [String: (lastUsed: String, bytes: ArraySlice<UInt8>)] = [:]
        for row in page.rows + copies.flatMap({ PartitionPage($0.bytes)?.rows ?? [] }) {
            guard let id = row.value["id"]?.string else { continue }
            // Times are texts of one form, so their order is that of the texts.
            let lastUsed = row.value["lastUsed"]?.string ?? ""
            if newest[id].map({ $0.lastUsed < lastUsed }) ?? true { newest[id] = (lastUsed, row.bytes) }
        }
        let rows = page.rows.map { row in row.value["id"]?.string.flatMap { newest[$0]?.bytes } ?? row.bytes }
        return configuration.with(page.with(rows), link: configuration.headers[.link])
    }

    /// A token, as the part has it in which it was used last.
    func token(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        let configuration = try await question.answer(to: question.asked(), from: partitions.configuration)
        guard configuration.isSuccess else { return configuration }
        let all = try await [configuration] + question.answers(to: question.asked())
        func lastUsed(_ answer: PartitionAnswer) -> String { answer.json?["lastUsed"]?.string ?? "" }
        return configuration.with((all.max { lastUsed($0) < lastUsed($1) } ?? configuration).bytes)
    }

    // MARK: A token's device

    /// An answer about the device to which the token is bound, or the problem that there is none.
    func answerAboutBoundDevice(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        let device = try await question.boundDevice()
        return try await question.answer(
            to: question.asked(), from: device.map(partitions.part) ?? .partition(0))
    }

    /// Suggested places of the device to which the token is bound.
    func suggestions(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        if let device = try await question.boundDevice() {
            return try await question.answer(to: question.asked(), from: partitions.part(of: device))
        }
        // Whether the caller may ask at all.
        var probe = question.asked()
        probe.target = "/v1/devices?limit=1"
        let answer = try await question.answer(to: probe, from: .partition(0))
        guard answer.isSuccess else { return try await question.answer(to: question.asked(), from: .partition(0)) }
        throw Problem.needsDevice
    }

    /// Makes a place of a device a region: the device's partition finds the place, and the configuration adds the region.
    func regionFromSuggestion(_ question: PartitionQuestion) async throws -> PartitionAnswer {
        guard let name = question.query["deviceId"], !question.isOfPattern else { throw Problem.needsDevice }
        let device = try? DeviceID(validating: name)
        var request = question.asked(isMarked: true)
        // The region is added by another request, so a repeat of this one must not be answered from the store.
        request.headers[.idempotencyKey] = nil
        let found = try await question.answer(to: request, from: device.map(partitions.part) ?? .partition(0))
        guard found.isSuccess, let location = found.headers[.location] else { return found }
        var change = question.request
        (change.method, change.target, change.body) = (.put, location, found.bytes)
        change.headers[.contentType] = RouteResponse.geoJSON
        change.headers[.contentLength] = String(found.bytes.count)
        change.headers[.transferEncoding] = nil
        change.headers[.contentEncoding] = nil
        change.headers[.ifNoneMatch] = "*"
        change.headers[.idempotencyKey] = nil
        let added = try await question.answer(to: change, from: partitions.configuration)
        guard added.status != .preconditionFailed else {
            throw Problem.conflict("region_exists", "The place is a region already.")
        }
        guard added.isSuccess else { return added }
        var answer = added
        answer.headers[.location] = location
        return answer
    }
}
