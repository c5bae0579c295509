import { get, readAfterChanges, request } from "../core/api.js";
import { announce, element, setChildren } from "../core/dom.js";
import { hasPassword } from "../core/provider.js";
import { session } from "../core/session.js";
import { formatAge } from "../core/time.js";
import { browserZone } from "../core/zone.js";
import { zoneListID } from "../pick/zones.js";
import { text } from "../text/text.js";
import { actionForm, field, line } from "./form.js";

const texts = text.access.account;

/** The signed-in user: the sessions with a button that ends them, and the change of the password. */
export function accountSection(app) {
  const list = element("ul.lines");
  const old = element("input", { type: "password", autocomplete: "current-password", required: true });
  const fresh = element("input", {
    type: "password", autocomplete: "new-password", required: true, minlength: 8, maxlength: 256,
  });
  const title = element("p");
  const form = actionForm(texts.changePassword, [
    field(texts.presentPassword, old), field(texts.newPassword, fresh, text.access.passwordHint),
  ], async () => {
    await request("POST", "/v1/sessions/current/password", { json: {
      password: old.value, newPassword: fresh.value,
    } });
    app.toast(texts.passwordChanged);
    await load();
  });
  const zone = element("input", {
    list: zoneListID(), autocomplete: "off", autocapitalize: "none", spellcheck: "false",
  });
  const zoneHint = element("p.hint");
  const zoneForm = actionForm(texts.saveTimeZone, [field(texts.timeZone, zone), zoneHint], async () => {
    await request("PATCH", "/v1/sessions/current/user", { json: { timeZone: zone.value.trim() || null } });
    // All times are written again.
    location.reload();
  });
  const passwordTool = element("details.tool", {}, element("summary", {}, texts.changePassword), form);
  const section = element("section", { hidden: true }, element("h2", {}, texts.title), title, zoneForm,
    element("h3", {}, texts.sessions), list, passwordTool);

  async function load() {
    const { user, signIn } = session.access.value;
    section.hidden = !user;
    if (!user) return;
    passwordTool.hidden = !hasPassword(user, signIn);
    const role = text.access.roleNames[user.role] ?? user.role;
    setChildren(title, texts.signedInAs(element("strong", {}, user.name), role));
    const common = session.access.value.timeZone;
    if (zone !== document.activeElement) zone.value = user.timeZone ?? "";
    zone.placeholder = common ?? browserZone;
    setChildren(zoneHint, common ? texts.serviceZone(common) : texts.browserZone(browserZone));
    const { data } = await readAfterChanges(() => get("/v1/sessions"));
    setChildren(list, data.map((one) => line(
      one.isCurrent ? texts.thisBrowser : browserName(one.client),
      useOf(one, signIn),
      element("button.small", { type: "button", onClick: () => end(one) }, texts.signOut))));
  }

  async function end(one) {
    if (one.isCurrent) {
      session.signOut();
      return;
    }
    await request("DELETE", `/v1/sessions/${one.id}`);
    announce(texts.sessionEnded);
    await load();
  }
  return { element: section, load, clear: () => setChildren(list) };
}

/** When a session was used last, and how it began. */
function useOf(one, signIn) {
  const { lastUsed, address, provider } = one;
  const age = formatAge(lastUsed);
  const use = address ? texts.usedFrom(age, address) : texts.used(age);
  return provider && signIn ? texts.withProvider(use, signIn.provider) : use;
}

/** A browser and its system, from a `User-Agent`. */
function browserName(agent = "") {
  const mark = ["Firefox", "Edg", "Chrome", "Safari"].find((name) => agent.includes(name));
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) => agent.includes(name));
  const browser = mark === "Edg" ? "Edge" : mark;
  if (browser && system) return texts.browserOn(browser, system);
  return browser || system || agent || texts.otherProgram;
}
