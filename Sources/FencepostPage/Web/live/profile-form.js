import { element, setChildren, uniqueID } from "../core/dom.js";
import { profiles } from "../core/profiles.js";
import { text } from "../text/text.js";
import { squarePicture } from "./face.js";

/** The form for the name, the colour and the picture of a device. `show(id)` shows those of another device. */
export function profileForm() {
  const texts = text.live.profile;
  let shownID = null;
  const name = element("input", { id: uniqueID("name"), maxlength: 64, autocomplete: "off", spellcheck: "false" });
  const color = element("input", { id: uniqueID("color"), type: "color" });
  const isOwn = element("input", { type: "checkbox", onChange: () => {
    color.disabled = !isOwn.checked;
  } });
  const picture = element("input", { id: uniqueID("picture"), type: "file", accept: "image/*" });
  const isRemoved = element("input", { type: "checkbox" });
  const removal = element("label.check", {}, isRemoved, texts.removePicture);
  const problem = element("p.field-problem", { role: "alert" });
  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    setChildren(problem);
    try {
      await profiles.save(shownID, { name: name.value.trim() || null, color: isOwn.checked ? color.value : null });
      if (picture.files.length) await profiles.saveFace(shownID, await squarePicture(picture.files[0]));
      else if (isRemoved.checked) await profiles.saveFace(shownID, null);
      details.open = false;
    } catch (error) {
      setChildren(problem, error.errors?.map(({ detail }) => detail).join(" ") || error.message);
    }
  } },
  element("label", { for: name.id }, texts.name), name,
  element("div.row", {}, element("label.check", {}, isOwn, texts.ownColor),
    element("label.visually-hidden", { for: color.id }, texts.color), color),
  element("label", { for: picture.id }, texts.picture, element("span.hint", {}, ` ${texts.pictureHint}`)),
  picture, removal,
  problem, element("div.row", {}, element("button.primary", { type: "submit" }, texts.save)));
  const details = element("details.tool", { data: { needs: "write" } },
    element("summary", {}, texts.title), form);
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
      picture.value = "";
      isRemoved.checked = false;
      removal.hidden = !profiles.hasFace(id);
      setChildren(problem);
    },
  };
}
