import { get } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { formatNumber } from "../core/format.js";
import { session } from "../core/session.js";
import { formatAge } from "../core/time.js";
import { locale } from "../text/choice.js";
import { text } from "../text/text.js";
import { line } from "./form.js";

const texts = text.access.cluster;

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
    setChildren(title, texts.title(cluster.name));
    setChildren(nodes, ...cluster.nodes.map((node) => line(node.name, [
      texts.roles[node.role] ?? node.role,
      node.copies !== undefined && texts.copies(node.copies, cluster.parts.length),
      node.leads !== undefined && texts.leads(node.leads, cluster.parts.length),
      node.behind > 0 && texts.behind(node.behind.toLocaleString(locale)),
      node.problem, texts.node(node.address, node.version), texts.reported(formatAge(node.reportedAt)),
    ].filter(Boolean).join("; "))), ...(cluster.away ?? []).map((name) => line(name, texts.away(name))));
    const share = Math.ceil(100 * cluster.log.bytes / cluster.log.limit);
    setChildren(log, texts.log(formatNumber(cluster.log.bytes / 1e6, 1), share));
  }
  return { element: section, load, clear: () => [nodes, log, title].forEach((node) => setChildren(node)) };
}
