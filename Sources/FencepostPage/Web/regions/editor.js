import { announce, element, setChildren } from "../core/dom.js";
import { oncePerFrame } from "../core/observable.js";
import { isTouch } from "../core/pointer.js";
import { text } from "../text/text.js";
import { Draft, vertexOf } from "./draft.js";
import { beginDrawing, endDrawing } from "./drawing-mode.js";
import { Handles } from "./handles.js";
import { propertyForm } from "./property-form.js";
import { unusedID } from "./region-id.js";
import { loadRegion, saveDraft } from "./requests.js";
import { vertexTable } from "./vertex-table.js";

const texts = text.regions.editor;
/** How to draw: with a mouse one clicks, with a finger one taps. */
const hintOf = (kind) => (isTouch() ? texts.touchHints : texts.hints)[kind];
/** The titles of a new region, by its kind. */
const newTitles = { circle: texts.newCircle, polygon: texts.newPolygon, corridor: texts.newCorridor };

/**
 * Opens the editor of a new or changed region, until it is saved or cancelled.
 * @param {Element} container the parent of the form.
 * @param {(id: string|null) => void} onEnd receives the id of the saved region, or null.
 * @returns {() => void} closes the editor without saving.
 */
export function openEditor(app, container, draft, onEnd) {
  const editor = new Editor(app, container, draft, onEnd);
  return () => editor.close();
}

class Editor {
  #app;
  #container;
  #draft;
  #onEnd;
  /** Whether the user chose the id. Until then it follows the name of a new region. */
  #hasOwnID = false;
  #onKey = (event) => this.#undoByKey(event);

  constructor(app, container, draft, onEnd) {
    this.#app = app;
    this.#container = container;
    this.#draft = draft;
    this.#onEnd = onEnd;
    this.handles = new Handles(app.map, draft);
    this.form = propertyForm(draft);
    this.table = vertexTable(draft, this.handles);
    this.#makeControls();
    draft.changes.watch(oncePerFrame(() => this.#update()));
    this.#startDrawing();
    setChildren(container, this.#makeElement());
    // The keyboard of a phone would cover the map.
    const first = draft.isNew && !isTouch() ? this.form.nameField.input : container.querySelector("h2");
    first.focus({ preventScroll: true });
    container.closest(".views")?.scrollTo({ top: 0 });
    const hint = hintOf(draft.state.kind);
    announce(draft.isNew ? texts.announceNew(hint) : texts.announceChange(hint));
  }

  close() {
    this.handles.close();
    document.removeEventListener("keydown", this.#onKey);
    endDrawing(this.#app);
    setChildren(this.#container);
  }

  #makeControls() {
    const draft = this.#draft;
    this.id = element("input#region-id", {
      value: draft.state.id, required: true, disabled: !draft.isNew, maxlength: 256, spellcheck: "false",
      autocomplete: "off", onChange: () => {
        this.#hasOwnID = this.id.value.trim() !== "";
        draft.change({ id: this.id.value.trim() });
      },
    });
    this.message = element("div", { role: "alert" });
    this.missing = element("p.hint", { role: "status" });
    this.undo = element("button", { type: "button", title: texts.undoKeys, onClick: () => draft.undo() }, texts.undo);
    this.redo = element("button", { type: "button", title: texts.redoKeys, onClick: () => draft.redo() }, texts.redo);
    this.submit = element("button.primary", { type: "submit" }, texts.save);
  }

  #makeElement() {
    const draft = this.#draft;
    const { kind, id } = draft.state;
    return element("form.form.editor", { onSubmit: (event) => {
      event.preventDefault();
      this.#save({});
    } },
    element("h2", { tabindex: -1 }, draft.isNew ? newTitles[kind] : texts.change(this.#app.regions.nameOf(id))),
    element("p.hint", {}, hintOf(kind)),
    this.form.nameField.element,
    element("label", { for: "region-id" }, texts.id), this.id,
    element("p.hint", {}, draft.isNew ? texts.newIDHint : texts.idHint),
    element("div.row", {}, this.undo, this.redo, element("button", { type: "button", onClick: () => {
      const { lng, lat } = this.#app.map.getCenter();
      this.handles.click([lng, lat]);
    } }, texts.addCentre)),
    this.message,
    this.form.element,
    element("h3", {}, texts.coordinates), this.table.element,
    this.missing,
    element("div.row.sticky", {}, this.submit, element("button", { type: "button", onClick: () => {
      this.close();
      this.#onEnd(null);
    } }, text.common.cancel)));
  }

  #startDrawing() {
    document.addEventListener("keydown", this.#onKey);
    beginDrawing(this.#app, this.handles, this.#draft.isNew ? null : this.#draft.state.id);
  }

  #update() {
    const draft = this.#draft;
    this.#followName();
    this.form.update();
    this.undo.disabled = !draft.canUndo;
    this.redo.disabled = !draft.canRedo;
    this.missing.textContent = draft.missing ?? draft.warning ?? "";
    this.missing.classList.toggle("warning", draft.missing === null && draft.warning !== null);
    this.submit.disabled = draft.missing !== null;
    if (document.activeElement !== this.id) this.id.value = draft.state.id;
    const { name } = draft.state.properties;
    this.handles.showSave(draft.missing === null && (draft.isNew || draft.canUndo)
      ? name ? texts.saveNamed(name) : texts.nameAndSave : null, () => this.#save({}));
  }

  #undoByKey(event) {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    if (event.target.matches?.("input, textarea")) return;
    event.preventDefault();
    if (event.shiftKey) this.#draft.redo();
    else this.#draft.undo();
  }

  /** Makes the id of a new region of its name. */
  #followName() {
    const draft = this.#draft;
    if (!draft.isNew || this.#hasOwnID) return;
    const id = unusedID(this.#app.regions, draft.state.kind, draft.state.properties.name);
    if (id !== draft.state.id) draft.preview({ id });
  }

  async #save(options) {
    const { regions, toast } = this.#app;
    this.#followName();
    setChildren(this.message);
    // The API requires no name, so a stored region may stay without one.
    if (this.#draft.isNew && !this.#draft.state.properties.name) {
      this.#showErrors([{ pointer: "/properties/name", detail: texts.needsName }]);
      this.form.nameField.input.focus();
      return;
    }
    const namesake = this.#draft.isNew && !options.isAnother && this.#namesake;
    if (namesake) {
      this.#askAboutNamesake(namesake);
      return;
    }
    this.submit.disabled = true;
    this.#showErrors([]);
    try {
      const { feature } = await saveDraft(this.#draft, options);
      this.close();
      regions.put(feature);
      toast(texts.saved(regions.nameOf(String(feature.id))));
      this.#onEnd(String(feature.id));
    } catch (problem) {
      this.#showProblem(problem);
      this.submit.disabled = false;
    }
  }

  /** Shows each error at its field or vertex; returns the errors that have neither. */
  #showErrors(errors) {
    const others = this.form.showErrors(errors);
    const vertices = others.map((error) => ({ ...vertexOf(this.#draft, error.pointer ?? ""), text: error.detail }))
      .filter(({ pathIndex }) => pathIndex);
    this.handles.showErrors(vertices);
    this.table.showErrors(vertices);
    return others;
  }

  /** Another region with the name of this one. */
  get #namesake() {
    const wanted = this.#draft.state.properties.name.trim().toLowerCase();
    return [...this.#app.regions.all.values()]
      .find(({ properties }) => properties?.name?.trim().toLowerCase() === wanted);
  }

  #askAboutNamesake(feature) {
    const { name } = feature.properties;
    const button = (label, onClick) => element("button", { type: "button", onClick }, label);
    setChildren(this.message, element("div.empty.bad", {},
      element("p.empty-title", {}, texts.namesake(name)),
      element("p", {}, texts.namesakeHint),
      element("div.row.centered", {},
        button(texts.saveAnother(name), () => this.#save({ isAnother: true })),
        button(texts.changeName, () => {
          setChildren(this.message);
          this.form.nameField.input.focus();
          this.form.nameField.input.select();
        }))));
    this.message.scrollIntoView({ block: "nearest" });
    this.message.querySelector("button").focus({ preventScroll: true });
  }

  /** Shows why the region was not saved, with the possible next steps. */
  #showProblem(problem) {
    const draft = this.#draft;
    const others = this.#showErrors(problem.errors);
    const canRepair = problem.status === 422 && others.some((error) => /geometry/.test(error.pointer ?? ""));
    const isConflict = problem.status === 412;
    const conflict = draft.isNew ? texts.idExists : texts.changedByOther;
    const button = (label, onClick) => element("button", { type: "button", onClick }, label);
    setChildren(this.message, element("div.empty.bad", {},
      element("p.empty-title", {}, isConflict ? conflict : texts.notSaved),
      element("p", {}, isConflict ? texts.changesKept : problem.message),
      // Also those that are shown at a field, since the field may be outside the visible part of the form.
      element("ul.lines", {}, problem.errors.map((error) => element("li", {}, error.detail))),
      element("div.row", {},
        isConflict && button(texts.overwrite, () => this.#save({ force: true })),
        isConflict && !draft.isNew && button(texts.loadOther, () => this.#loadOtherVersion()),
        canRepair && button(texts.repairAndSave, () => this.#save({ repair: true })))));
    this.message.scrollIntoView({ block: "nearest" });
  }

  async #loadOtherVersion() {
    const { feature, etag } = await loadRegion(this.#draft.state.id);
    this.#draft.etag = etag;
    this.#draft.change(Draft.fromFeature(feature, etag).state);
    setChildren(this.message, element("p.hint", {}, texts.otherLoaded));
  }
}
