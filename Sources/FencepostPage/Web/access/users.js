import { get, pathSegment, post, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";
import { actionForm, confirmButton, field, line, wordsIn } from "./form.js";

const roles = {
  viewer: "viewer: looks", editor: "editor: changes regions, apps and webhooks", admin: "admin: everything",
};

/** The users with their roles, and the groups of devices that they see. */
export function usersSection(app) {
  const list = element("ul.lines");
  const groups = element("ul.lines");
  const name = element("input", { required: true, maxlength: 64, autocomplete: "off", autocapitalize: "none" });
  const password = element("input", {
    type: "password", required: true, minlength: 8, maxlength: 256, autocomplete: "new-password",
  });
  const role = element("select", {}, Object.entries(roles).map(([value, text]) => element("option", { value }, text)));
  const tags = element("input", { placeholder: "everything", autocapitalize: "none" });
  const devices = element("input", { placeholder: "every device", autocapitalize: "none" });
  const add = actionForm("Add the user", [
    field("Name", name), field("Password", password, "at least 8 characters"), field("Role", role),
    field("Groups", tags, "tags whose devices and regions the user sees"),
    field("Devices", devices, "ids or patterns such as jane/*"),
  ], async () => {
    const limits = role.value === "admin" ? {} : { tags: wordsIn(tags.value), devices: wordsIn(devices.value) };
    await post("/v1/users", { name: name.value.trim(), password: password.value, role: role.value, ...limits });
    await load();
  });
  const tag = element("input", { required: true, maxlength: 64, autocapitalize: "none" });
  const members = element("input", { required: true, placeholder: "van-*", autocapitalize: "none" });
  const addGroup = actionForm("Save the group", [
    field("Tag", tag), field("Devices", members, "ids or patterns such as van-*"),
  ], async () => {
    const json = { devices: wordsIn(members.value) ?? [] };
    await request("PUT", `/v1/groups/${pathSegment(tag.value.trim())}`, { json });
    await load();
  });
  const section = element("section.block", { data: { needs: "admin" } },
    element("h2", {}, "Users"), list,
    element("details.tool", {}, element("summary", {}, "Add a user"), add),
    element("h2", {}, "Groups"),
    element("p.hint", {}, "A group has a tag, devices, and the regions with the same tag."), groups,
    element("details.tool", {}, element("summary", {}, "Add or change a group"), addGroup));

  async function load() {
    if (!session.can("admin")) return;
    const [users, all] = await Promise.all([get("/v1/users"), get("/v1/groups")]);
    setChildren(list, users.data.length ? users.data.map((user) => userLine(user))
      : element("li", {}, "No users yet: everybody needs a token."));
    setChildren(groups, all.data.length ? all.data.map((group) => line(group.tag, group.devices.join(", "),
      confirmButton("Remove", group.tag, () => remove(`/v1/groups/${pathSegment(group.tag)}`))))
      : element("li", {}, "No groups yet."));
  }

  function userLine(user) {
    const chooser = element("select", { "aria-label": `Role of ${user.name}`, onChange: async () => {
      try {
        await request("PATCH", `/v1/users/${user.id}`, { json: { role: chooser.value } });
        user.role = chooser.value;
      } catch (problem) {
        chooser.value = user.role;
        app.toast(problem.message, { tone: "bad" });
      }
    } }, Object.keys(roles).map((value) => element("option", { value }, value)));
    chooser.value = user.role;
    const limits = [
      user.tags && `groups ${user.tags.join(", ")}`, user.devices && `devices ${user.devices.join(", ")}`,
    ];
    return line(user.name, `sees ${limits.filter(Boolean).join(" and ") || "everything"}`, chooser,
      confirmButton("Remove", user.name, () => remove(`/v1/users/${user.id}`)));
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
