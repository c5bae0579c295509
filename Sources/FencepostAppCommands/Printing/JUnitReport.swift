package import FencepostSimulator

/// JUnit XML of the outcomes of scenarios, for CI servers: one test case per scenario.
package enum JUnitReport {
    package static func xml(of outcomes: [Outcome]) -> String {
        let failed = outcomes.count { !$0.passed }
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites tests="\(outcomes.count)" failures="\(failed)">
              <testsuite name="fencepost simulate" tests="\(outcomes.count)" failures="\(failed)">

            """
        for outcome in outcomes {
            let name = escaped(outcome.name.isEmpty ? "(no name)" : outcome.name)
            text += "    <testcase classname=\"scenario\" name=\"\(name)\""
            let failures = outcome.failures ?? []
            guard !outcome.passed else {
                text += "/>\n"
                continue
            }
            let lines =
                failures.map { "\($0.path) is \($0.actual), not \($0.expected)" }
                + (outcome.disagreements ?? []).map { OutcomePrinter.text(of: $0) }
            text += ">\n      <failure message=\"\(escaped(lines.first ?? "failed"))\">"
            text += escaped(lines.joined(separator: "\n")) + "</failure>\n    </testcase>\n"
        }
        return text + "  </testsuite>\n</testsuites>\n"
    }

    /// Escapes reserved characters of XML and removes characters that XML does not allow.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            default: if scalar.value >= 0x20 || scalar == "\t" { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }
}
