import { announce, fill, h } from "../core/dom.js";
import { perFrame } from "../core/observable.js";
import { Draft, vertexOf } from "./draft.js";
import { Handles } from "./handles.js";
import { propertyForm } from "./property-form.js";
import { load, save } from "./saving.js";
import { vertexTable } from "./vertex-table.js";

const hints = {
  circle: "Click the centre, then a place on the edge. Drag either to change them.",
  polygon: "Click the corners, one after the other; the last joins the first by itself. Drag corners, or the small "
    + "points between them for new ones; a double click removes one.",
  corridor: "Click the positions of the line, from its start to its end. Drag them, or the small points between.",
};

/**
 * Draws a region anew or changes one, until it is saved or given up.
 * @param {Element} element where the form goes.
 * @param {(id: string|null) => void} onEnd with the id of what was saved.
 */
export function openEditor(app, element, draft, onEnd) {
  const handles = new Handles(app.map, draft);
  const form = propertyForm(draft);
  const table = vertexTable(draft, handles);
  const id = h("input#region-id", { value: draft.state.id, required: true, disabled: !draft.isNew, maxlength: 256,
    spellcheck: "false", autocomplete: "off", onChange: () => draft.change({ id: id.value.trim() }) });
  const trouble = h("div", { role: "alert" });
  const lack = h("p.hint", { role: "status" });
  const undo = h("button", { type: "button", title: "Ctrl+Z", onClick: () => draft.undo() }, "Undo");
  const redo = h("button", { type: "button", title: "Ctrl+Shift+Z", onClick: () => draft.redo() }, "Redo");
  const submit = h("button.primary", { type: "submit" }, "Save");

  const store = async (options) => {
    submit.disabled = true;
    blame([]);
    fill(trouble);
    try {
      const { feature } = await save(draft, options);
      close();
      app.book.put(feature);
      app.toast(`${app.book.nameOf(String(feature.id))} was saved.`);
      onEnd(String(feature.id));
    } catch (problem) {
      explain(problem);
      submit.disabled = false;
    }
  };

  /** Shows each fault where it belongs: at its field, at its vertex, else above the form. */
  const blame = (faults) => {
    const others = form.mark(faults);
    const placed = others.map((fault) => ({ fault, vertex: vertexOf(draft, fault.pointer ?? "") }));
    const vertices = placed.filter(({ vertex }) => vertex)
      .map(({ fault, vertex }) => ({ ...vertex, text: fault.detail }));
    handles.mark(vertices);
    table.mark(vertices);
    return others;
  };

  const explain = (problem) => {
    const others = blame(problem.faults);
    const repairs = problem.status === 422 && others.some((fault) => /geometry/.test(fault.pointer ?? ""));
    const isTaken = problem.status === 412;
    const taken = draft.isNew ? "There is a region with this id already" : "Somebody else changed this region";
    const button = (text, onClick) => h("button", { type: "button", onClick }, text);
    fill(trouble, h("div.empty.bad", {},
      h("p.empty-title", {}, isTaken ? taken : "It was not saved"),
      h("p", {}, isTaken ? "Nothing of yours is lost: it is still here." : problem.message),
      h("ul.lines", {}, others.map((fault) => h("li", {}, fault.detail))),
      h("div.row", {},
        isTaken && button("Save mine over it", () => store({ force: true })),
        isTaken && !draft.isNew && button("Show theirs", again),
        repairs && button("Repair it and save", () => store({ repair: true })))));
    trouble.scrollIntoView({ block: "nearest" });
  };

  const again = async () => {
    const { feature, etag } = await load(draft.state.id);
    const theirs = Draft.of(feature, etag);
    draft.etag = etag;
    draft.change(theirs.state);
    fill(trouble, h("p.hint", {}, "This is the region as it is now. Undo brings yours back."));
  };

  const update = perFrame(() => {
    form.update();
    undo.disabled = !draft.canUndo;
    redo.disabled = !draft.canRedo;
    lack.textContent = draft.lack ?? "";
    submit.disabled = draft.lack !== null;
    if (document.activeElement !== id) id.value = draft.state.id;
  });
  draft.changes.watch(update);

  const onKey = (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    if (event.target.matches?.("input, textarea")) return;
    event.preventDefault();
    if (event.shiftKey) draft.redo();
    else draft.undo();
  };
  document.addEventListener("keydown", onKey);
  app.scene.capture = (place) => handles.click(place);
  app.scene.regions.hidden = draft.isNew ? null : draft.state.id;
  app.scene.regions.redraw();
  app.map.getContainer().classList.add("drawing");
  app.map.doubleClickZoom.disable();

  function close() {
    handles.close();
    document.removeEventListener("keydown", onKey);
    app.scene.capture = null;
    app.scene.regions.hidden = null;
    app.scene.regions.redraw();
    app.map.getContainer().classList.remove("drawing");
    app.map.doubleClickZoom.enable();
    fill(element);
  }

  fill(element, h("form.form.editor", { onSubmit: (event) => {
    event.preventDefault();
    store({});
  } },
  h("h2", { tabindex: -1 }, draft.isNew ? `A new ${draft.state.kind}` : `Change ${app.book.nameOf(draft.state.id)}`),
  h("p.hint", {}, hints[draft.state.kind]),
  h("div.row", {}, undo, redo, h("button", { type: "button", onClick: () => {
    const { lng, lat } = app.map.getCenter();
    handles.click([lng, lat]);
  } }, "Add the map's middle")),
  trouble,
  h("label", { for: "region-id" }, "Id"), id,
  h("p.hint", {}, draft.isNew ? "What programs call it: it stays." : "The id of a region stays as it is."),
  form.element,
  h("h3", {}, "Shape in numbers"), table.element,
  lack,
  h("div.row.sticky", {}, submit, h("button", { type: "button", onClick: () => {
    close();
    onEnd(null);
  } }, "Cancel"))));
  element.querySelector("h2").focus({ preventScroll: true });
  element.closest(".views")?.scrollTo({ top: 0 });
  announce(`${draft.isNew ? "New region" : "Changing region"}. ${hints[draft.state.kind]}`);
  return close;
}
