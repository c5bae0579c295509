import { element, setChildren, uniqueID } from "../core/dom.js";
import { profiles } from "../core/profiles.js";

/** The form for the name and the colour of a device. `show(id)` shows those of another device. */
export function profileForm() {
  let shownID = null;
  const name = element("input", { id: uniqueID("name"), maxlength: 64, autocomplete: "off", spellcheck: "false" });
  const color = element("input", { id: uniqueID("color"), type: "color" });
  const isOwn = element("input", { type: "checkbox", onChange: () => {
    color.disabled = !isOwn.checked;
  } });
  const problem = element("p.field-problem", { role: "alert" });
  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    setChildren(problem);
    try {
      await profiles.save(shownID, { name: name.value.trim() || null, color: isOwn.checked ? color.value : null });
      details.open = false;
    } catch (error) {
      setChildren(problem, error.errors.map(({ detail }) => detail).join(" ") || error.message);
    }
  } },
  element("label", { for: name.id }, "Name of the device"), name,
  element("div.row", {}, element("label.check", {}, isOwn, "Own colour"),
    element("label.visually-hidden", { for: color.id }, "Colour of the device"), color),
  problem, element("div.row", {}, element("button.primary", { type: "submit" }, "Save the name")));
  const details = element("details.tool", { data: { needs: "write" } },
    element("summary", {}, "Name and colour"), form);
  return {
    element: details,
    show(id) {
      if (id === shownID && details.open) return;
      if (id !== shownID) details.open = false;
      shownID = id;
      name.value = profiles.nameOf(id) === id ? "" : profiles.nameOf(id);
      const own = profiles.colorOf(id);
      isOwn.checked = own !== null;
      color.disabled = own === null;
      color.value = own ?? "#1f6f54";
      setChildren(problem);
    },
  };
}
