import { get } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";
import { formatAge } from "../core/time.js";
import { line } from "./form.js";

const roles = {
  starting: "starts", fetching: "fetches a copy", follower: "has a copy", leader: "leads", failed: "cannot follow",
  gone: "was stopped",
};

/** The nodes of the cluster and its log; hidden on a single node. */
export function clusterSection() {
  const nodes = element("ul.lines");
  const log = element("p.hint");
  const title = element("h2");
  const section = element("section.block", { hidden: true, data: { needs: "admin" } }, title, nodes, log);

  async function load() {
    if (!session.can("admin")) return;
    const name = (await get("/v1/version")).cluster;
    section.hidden = name === undefined;
    if (section.hidden) return;
    const cluster = await get("/v1/cluster");
    setChildren(title, `Cluster ${cluster.name}`);
    setChildren(nodes, cluster.nodes.map((node) => line(node.name, [
      roles[node.role] ?? node.role,
      node.leads !== undefined && `leads ${node.leads} of ${cluster.parts.length} parts`,
      node.behind > 0 && `${node.behind.toLocaleString()} records behind`,
      node.problem, `${node.address}, version ${node.version}`, `reported ${formatAge(node.reportedAt)}`,
    ].filter(Boolean).join("; "))));
    const share = Math.ceil(100 * cluster.log.bytes / cluster.log.limit);
    setChildren(log, `The log has ${(cluster.log.bytes / 1e6).toFixed(1)} MB, ${share} % of its limit; `
      + "it is trimmed at half of it.");
  }
  return { element: section, load, clear: () => [nodes, log, title].forEach((node) => setChildren(node)) };
}
