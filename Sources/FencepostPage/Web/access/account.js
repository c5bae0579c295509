import { get, request } from "../core/api.js";
import { announce, element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";
import { formatAge } from "../core/time.js";
import { actionForm, field, line } from "./form.js";

/** The signed-in user: the sessions with a button that ends them, and the change of the password. */
export function accountSection(app) {
  const list = element("ul.lines");
  const old = element("input", { type: "password", autocomplete: "current-password", required: true });
  const fresh = element("input", {
    type: "password", autocomplete: "new-password", required: true, minlength: 8, maxlength: 256,
  });
  const title = element("p");
  const form = actionForm("Change the password", [
    field("Present password", old), field("New password", fresh, "at least 8 characters"),
  ], async () => {
    await request("POST", "/v1/sessions/current/password", { json: {
      password: old.value, newPassword: fresh.value,
    } });
    app.toast("The password was changed. All other sessions have ended.");
    await load();
  });
  const section = element("section", { hidden: true }, element("h2", {}, "Your account"), title,
    element("h3", {}, "Signed in at"), list,
    element("details.tool", {}, element("summary", {}, "Change the password"), form));

  async function load() {
    const { user } = session.access.value;
    section.hidden = !user;
    if (!user) return;
    setChildren(title, "Signed in as ", element("strong", {}, user.name), ` (${user.role})`);
    const { data } = await get("/v1/sessions");
    setChildren(list, data.map((one) => line(
      one.isCurrent ? "This browser" : browserName(one.client),
      `used ${formatAge(one.lastUsed)}${one.address ? `, signed in from ${one.address}` : ""}`,
      element("button.small", { type: "button", onClick: () => end(one) }, "Sign out"))));
  }

  async function end(one) {
    if (one.isCurrent) {
      session.signOut();
      return;
    }
    await request("DELETE", `/v1/sessions/${one.id}`);
    announce("The session has ended");
    await load();
  }
  return { element: section, load, clear: () => setChildren(list) };
}

/** A browser and its system, from a `User-Agent`. */
function browserName(text = "") {
  const browser = ["Firefox", "Edg", "Chrome", "Safari"].find((name) => text.includes(name));
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) => text.includes(name));
  const names = { Edg: "Edge" };
  return [names[browser] ?? browser, system].filter(Boolean).join(" on ") || text || "Another program";
}
