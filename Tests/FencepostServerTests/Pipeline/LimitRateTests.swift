import FencepostModel
import FencepostService
import FencepostServiceTesting
import HTTPTypes
import Testing

@testable import FencepostServer

@Suite("The stage that limits the rate") struct LimitRateTests {
    private let time = ManualTime(TestServer.now)

    private func refusal(
        _ stage: LimitRate, _ caller: Caller, _ traffic: Route.Traffic
    ) async -> (code: String?, limit: String?) {
        var exchange = StageFixture.exchange()
        exchange.route = StageFixture.route(traffic: traffic)
        exchange.call.caller = caller
        let code = await StageFixture.refusal(stage, &exchange)
        return (code, exchange.limits[.rateLimit])
    }

    @Test("counts requests per token and kind") func counts() async {
        let stage = LimitRate(ingest: 1, api: 2, clock: time.clock(notBefore: .distantPast))
        let (jane, bob) = (StageFixture.caller("jane"), StageFixture.caller("bob"))
        for left in [1, 0] {
            let (code, limit) = await refusal(stage, jane, .api)
            #expect(code == nil && limit?.contains("r=\(left);") == true)
        }
        #expect(await refusal(stage, jane, .api).code == "rate_limited")
        #expect(await refusal(stage, bob, .api).code == nil)
        #expect(await refusal(stage, jane, .ingest).code == nil)
        #expect(await refusal(stage, jane, .ingest).code == "rate_limited")
        time.advance(by: .seconds(60))
        #expect(await refusal(stage, jane, .ingest).code == nil)
    }

    @Test("has none for probes, strangers, commands of this machine and where none is set") func none() async {
        let stage = LimitRate(ingest: 1, api: nil, clock: time.clock(notBefore: .distantPast))
        for (caller, traffic) in [
            (StageFixture.caller("jane"), Route.Traffic.exempt), (.anonymous, .ingest), (.local, .ingest),
            (StageFixture.caller("jane"), .api),
        ] {
            for _ in 0..<3 {
                let (code, limit) = await refusal(stage, caller, traffic)
                #expect(code == nil && limit == nil)
            }
        }
    }
}
