import { element } from "../core/dom.js";
import { session } from "../core/session.js";
import { sessionPanel } from "../shell/tabs.js";
import { text } from "../text/text.js";
import { accountSection } from "./account.js";
import { clusterSection } from "./cluster.js";
import { networksSection } from "./networks.js";
import { sharesSection } from "./shares.js";
import { tokensSection } from "./tokens.js";
import { usersSection } from "./users.js";

/** The Access tab: the own account, share links, users and groups, tokens, networks, the cluster. */
export const accessPanel = {
  id: "access",
  isWide: true,
  title: text.access.title,
  mount(app, container) {
    const problem = element("p.field-problem", { role: "alert" });
    const sections = [accountSection(app), sharesSection(app), usersSection(app), tokensSection(app),
      networksSection(app), clusterSection()];
    container.append(problem, ...sections.map((section) => section.element));
    const load = async () => {
      problem.textContent = "";
      try {
        await Promise.all(sections.map((section) => section.load()));
      } catch (error) {
        problem.textContent = error.message;
      }
    };
    session.access.subscribe(() => session.token.value !== null && load());
    return sessionPanel({ load, clear: () => sections.forEach((section) => section.clear()) });
  },
};
