import { get, pathSegment, post, readAfterChanges, request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { groups as store } from "../core/groups.js";
import { linkOf } from "../core/provider.js";
import { session } from "../core/session.js";
import { Picker } from "../pick/picker.js";
import { deviceSource, tagSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { actionForm, confirmButton, field, line } from "./form.js";

const { groups: groupTexts, roleNames, users: texts } = text.access;

/** The users with their roles, and the groups of devices that they see. */
export function usersSection(app) {
  const list = element("ul.lines");
  const groups = element("ul.lines");
  const name = element("input", { required: true, maxlength: 64, autocomplete: "off", autocapitalize: "none" });
  const password = element("input", {
    type: "password", required: true, minlength: 8, maxlength: 256, autocomplete: "new-password",
  });
  const passwordPart = element("div.form-part", {}, field(texts.password, password, text.access.passwordHint));
  const invitedHint = element("p.hint", { id: uniqueID("hint") });
  const invited = element("input", {
    type: "checkbox", "aria-describedby": invitedHint.id, onChange: () => showPassword(),
  });
  const invitedLabel = element("span");
  const invitedPart = element("div.form-part", { hidden: true },
    element("label.check", {}, invited, invitedLabel), invitedHint);
  const role = element("select", {}, Object.entries(texts.roles).map(([value, label]) =>
    element("option", { value }, label)));
  const tags = new Picker({ source: tagSource(app), isMultiple: true, placeholder: texts.everything });
  const devices = new Picker({
    source: deviceSource(app), isMultiple: true, hasPatterns: true, placeholder: texts.everyDevice,
  });
  const add = actionForm(texts.submit, [
    field(texts.name, name), invitedPart, passwordPart, field(texts.role, role),
    field(texts.groups, tags, texts.groupsHint), field(texts.devices, devices, texts.devicesHint),
  ], async () => {
    const limits = role.value === "admin" ? {} : { tags: listOf(tags), devices: listOf(devices) };
    const secret = password.disabled ? null : password.value;
    await post("/v1/users", { name: name.value.trim(), password: secret, role: role.value, ...limits });
    await load();
  });
  // The fields have their first values again after the event.
  add.addEventListener("reset", () => setTimeout(showPassword));
  const tag = new Picker({ source: tagSource(app), isRequired: true, maxlength: 64 });
  const members = new Picker({
    source: deviceSource(app), isMultiple: true, hasPatterns: true, isRequired: true, placeholder: "van-*",
  });
  const addGroup = actionForm(groupTexts.submit, [
    field(groupTexts.tag, tag), field(groupTexts.devices, members, groupTexts.devicesHint),
  ], async () => {
    const json = { devices: members.values };
    await request("PUT", `/v1/groups/${pathSegment(tag.value)}`, { json });
    await load();
  });
  const section = element("section.block", { data: { needs: "admin" } },
    element("h2", {}, texts.title), list,
    element("details.tool", {}, element("summary", {}, texts.add), add),
    element("h2", {}, groupTexts.title),
    element("p.hint", {}, groupTexts.intro), groups,
    element("details.tool", {}, element("summary", {}, groupTexts.add), addGroup));

  async function load() {
    if (!session.can("admin")) return;
    showProvider();
    const [users, all] = await readAfterChanges(() => Promise.all([get("/v1/users"), get("/v1/groups")]));
    store.replace(all.data);
    setChildren(list, users.data.length ? users.data.map((user) => userLine(user))
      : element("li", {}, texts.none));
    setChildren(groups, all.data.length ? all.data.map((group) => line(group.tag, group.devices.join(", "),
      confirmButton(text.access.remove, group.tag, () => remove(`/v1/groups/${pathSegment(group.tag)}`))))
      : element("li", {}, groupTexts.none));
  }

  /** Offers users without a password where they can sign in at a provider. */
  function showProvider() {
    const { signIn } = session.access.value;
    invitedPart.hidden = !signIn;
    if (signIn) {
      setChildren(invitedLabel, texts.signsInWith(signIn.provider));
      setChildren(invitedHint, texts.signsInHint(signIn.provider));
    }
    invited.defaultChecked = Boolean(signIn) && signIn.passwords !== "all";
    invited.disabled = signIn?.passwords === "none";
    showPassword();
  }

  function showPassword() {
    // A disabled field is not required.
    password.disabled = !invitedPart.hidden && invited.checked;
    passwordPart.hidden = password.disabled;
  }

  function userLine(user) {
    const chooser = element("select", { "aria-label": texts.roleOf(user.name), onChange: async () => {
      try {
        await request("PATCH", `/v1/users/${user.id}`, { json: { role: chooser.value } });
        user.role = chooser.value;
      } catch (problem) {
        chooser.value = user.role;
        app.toast(problem.message, { tone: "bad" });
      }
    } }, Object.entries(roleNames).map(([value, label]) => element("option", { value }, label)));
    chooser.value = user.role;
    const link = linkOf(user);
    const provider = session.access.value.signIn?.provider ?? texts.formerProvider;
    const sentence = [sight(user), link && texts.links[link](provider)].filter(Boolean).join(", ");
    return line(user.name, sentence, chooser,
      confirmButton(text.access.remove, user.name, () => remove(`/v1/users/${user.id}`)));
  }

  async function remove(path) {
    try {
      await request("DELETE", path);
    } catch (problem) {
      app.toast(problem.message, { tone: "bad" });
    }
    await load();
  }
  return { element: section, load, clear: () => setChildren(list) };
}

/** The values of a picker; `null` for none. */
const listOf = ({ values }) => (values.length ? values : null);

/** What a user sees, in words. */
function sight({ tags, devices }) {
  if (tags && devices) return texts.seesGroupsAndDevices(tags.join(", "), devices.join(", "));
  if (tags) return texts.seesGroups(tags.join(", "));
  return devices ? texts.seesDevices(devices.join(", ")) : texts.seesEverything;
}
