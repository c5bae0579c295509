import { element, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";

/**
 * Shows a message over the page for 5 s, or for 12 s if it is an error or has a button.
 * @param {string} message
 * @param {{tone?: string, action?: {label: string, run: () => void} | null}} options `tone`: "bad" for an error;
 *   `action`: a button next to the text.
 */
export function toast(message, { tone = "plain", action = null } = {}) {
  const list = document.getElementById("toasts");
  const container = element(`div.toast.${tone}`, { role: tone === "bad" ? "alert" : "status" },
    element("p", {}, message),
    action && element("button.quiet", { type: "button", onClick: () => {
      container.remove();
      action.run();
    } }, action.label),
    element("button.quiet.icon-only", {
      type: "button", "aria-label": text.common.close, onClick: () => container.remove(),
    }, "×"));
  while (list.children.length > 2) list.firstElementChild.remove();
  list.append(container);
  const duration = tone === "bad" || action ? 12_000 : 5000;
  let timer = setTimeout(() => container.remove(), duration);
  // The message stays while the pointer is on it (WCAG 2.2.1, timing adjustable).
  container.addEventListener("pointerenter", () => clearTimeout(timer));
  container.addEventListener("pointerleave", () => {
    timer = setTimeout(() => container.remove(), duration);
  });
}

/** Shows an error in place of the content, with a button that tries again. */
export function showError(container, problem, retry) {
  return setChildren(container, element("div.empty.bad", { role: "alert" },
    element("p.empty-title", {}, problem.status === 403 ? text.common.noPermission : text.common.loadingFailed),
    element("p", {}, problem.message),
    retry && element("button", { type: "button", onClick: retry }, text.common.tryAgain)));
}
