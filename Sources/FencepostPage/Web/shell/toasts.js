import { fill, h } from "../core/dom.js";

/**
 * Says something for some seconds, over everything else.
 * @param {object} [options] `tone`: "good" or "bad"; `action`: `{label, run}`, a button beside the text.
 */
export function toast(text, { tone = "plain", action = null } = {}) {
  const place = document.getElementById("toasts");
  const element = h(`div.toast.${tone}`, { role: tone === "bad" ? "alert" : "status" },
    h("p", {}, text),
    action && h("button.quiet", { type: "button", onClick: () => {
      element.remove();
      action.run();
    } }, action.label),
    h("button.quiet.icon-only", { type: "button", "aria-label": "Close", onClick: () => element.remove() }, "×"));
  while (place.children.length > 2) place.firstElementChild.remove();
  place.append(element);
  const stay = tone === "bad" || action ? 12_000 : 5000;
  let timer = setTimeout(() => element.remove(), stay);
  // Nobody should have to read faster than they can.
  element.addEventListener("pointerenter", () => clearTimeout(timer));
  element.addEventListener("pointerleave", () => {
    timer = setTimeout(() => element.remove(), stay);
  });
}

/** What went wrong, in the place of what was to be shown. */
export function trouble(element, problem, again) {
  return fill(element, h("div.empty.bad", { role: "alert" },
    h("p.empty-title", {}, problem.status === 403 ? "Not for this token" : "This could not be read"),
    h("p", {}, problem.message),
    again && h("button", { type: "button", onClick: again }, "Try again")));
}
