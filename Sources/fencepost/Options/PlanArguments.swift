import FencepostAppCommands
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation

/// Reads the plans of a file.
enum PlanArguments {
    /// The plans of a file: one plan, an array of plans, or an answer of `GET /v1/plans`. Their rounds begin with the locations.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - zone: the zone of plans without one.
    /// - Returns: the plans.
    /// - Throws: an exit status, after all that is wrong was printed.
    static func load(_ path: String, zone: TimeZone) throws -> [Plan] {
        guard let data = FileManager.default.contents(atPath: path) else {
            Console.say("fencepost: \(path) cannot be read")
            throw ExitStatus.noInput.exit
        }
        let root: JSONElement
        do {
            root = try JSONDocument(parsing: [UInt8](data)).root
        } catch {
            Console.sayForeign("fencepost: \(path): \(error)")
            throw ExitStatus.badData.exit
        }
        let elements = (root["data"]?.array ?? root.array).map(Array.init) ?? [root]
        var (plans, problems): ([Plan], [String]) = ([], [])
        for (index, element) in elements.enumerated() {
            let read = PlanFile.read(
                element, id: "plan-\(index + 1)", zone: zone, at: Timestamp(milliseconds: 0), isStored: true)
            problems += read.problems.map { problem in
                var problem = problem
                problem.file = path
                return problem.description
            }
            if let plan = read.plan {
                if plan.groups != nil {
                    problems.append("\(path): error: Groups are known to the service only: name devices.")
                }
                if plans.contains(where: { $0.id == plan.id }) {
                    problems.append("\(path): error: Two plans are \(plan.id).")
                }
                plans.append(plan)
            }
        }
        guard problems.isEmpty else {
            for problem in problems { Console.sayForeign(problem) }
            throw ExitStatus.badData.exit
        }
        return plans
    }
}
