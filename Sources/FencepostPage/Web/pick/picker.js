// A field that finds devices, regions or tags by name or id: a text field with a list of suggestions (the combobox of
// WAI-ARIA), and the picked values as chips if there may be several.

import { announce, element, setChildren, uniqueID } from "../core/dom.js";
import { isPattern } from "../core/patterns.js";
import { text } from "../text/text.js";
import { choiceNamed, labelOf, matchingChoices, valuesIn } from "./choices.js";
import { countMatches } from "./sources.js";

const texts = text.pick;
let isPressed = false;
for (const type of ["pointerdown", "pointerup", "pointercancel"]) {
  addEventListener(type, () => {
    isPressed = type === "pointerdown";
  }, true);
}

/** Runs work now, or after the click that is under way: a new chip would move the button that is pressed. */
function afterClick(work) {
  if (!isPressed) {
    work();
    return;
  }
  const stop = new AbortController();
  for (const type of ["pointerup", "pointercancel"]) {
    addEventListener(type, () => {
      stop.abort();
      setTimeout(work);
    }, { capture: true, signal: stop.signal });
  }
}

/** So many suggestions are shown at once. */
const mostShown = 50;

/**
 * What a picker is for. `isMultiple`: several values, as chips. `hasPatterns`: a text with `*` or `?` is offered as a
 * pattern. `onChange` is called when the value or the list of values has changed.
 * @typedef {object} Options
 * @property {import("./sources.js").Source} source
 * @property {boolean} [isMultiple]
 * @property {boolean} [hasPatterns]
 * @property {boolean} [isRequired]
 * @property {string} [id]
 * @property {string} [placeholder]
 * @property {number} [maxlength]
 * @property {() => void} [onChange]
 */

export class Picker {
  #options;
  /** @type {string[]} */
  #values = [];
  /** The suggestions that are listed, and the index of the active one. */
  #shown = /** @type {import("./choices.js").Choice[]} */ ([]);
  #active = -1;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.list = element("ul.pick-list", {
      role: "listbox", id: uniqueID("choices"), "aria-label": texts.suggestions,
      // The field keeps the focus.
      onPointerdown: (event) => event.preventDefault(),
      onClick: (event) => this.#pickAt(event.target.closest("li")),
    });
    this.more = element("p.hint");
    this.popup = element("div.pick-popup", { hidden: true }, this.list, this.more);
    this.input = element("input", {
      role: "combobox", id: options.id ?? uniqueID("pick"), "aria-expanded": "false", "aria-autocomplete": "list",
      "aria-controls": this.list.id, autocomplete: "off", autocapitalize: "none", spellcheck: "false",
      placeholder: options.placeholder, maxlength: options.isMultiple ? null : options.maxlength,
      required: options.isRequired, onInput: () => this.#typed(), onKeydown: (event) => this.#press(event),
      onClick: () => this.popup.hidden && this.#open(),
      onBlur: () => this.#left(),
    });
    this.chips = element("ul.pick-chips", { hidden: true });
    this.element = element("div.picker", {
      // The form is not known before.
      onFocusin: () => this.#watchForm(),
    }, options.isMultiple && this.chips, this.input, this.popup);
  }

  /** The values; a text that is still in the field counts. */
  get values() {
    const { isMultiple } = this.#options;
    const typed = this.input.value.trim();
    if (!isMultiple) return this.value ? [this.value] : [];
    return typed ? [...new Set([...this.#values, ...valuesIn(this.#choices, typed)])] : [...this.#values];
  }

  set values(values) {
    this.#values = [...new Set(values)];
    this.input.value = "";
    this.#draw();
  }

  /** The value of a field for one: what was typed, or the id of what it names. */
  get value() {
    const typed = this.input.value.trim();
    return choiceNamed(this.#choices, typed)?.value ?? typed;
  }

  set value(value) {
    this.input.value = value ? labelOf(this.#choices, value) : "";
    this.#describe();
  }

  /** Shows the name of the value that was typed. */
  #showName() {
    const { value } = this;
    this.value = value;
  }

  /** Draws the names again, which may have been loaded after the value was set. */
  refresh() {
    if (document.activeElement === this.input) return;
    if (this.#options.isMultiple) this.#draw();
    else if (this.input.value) this.#showName();
  }

  clear() {
    this.#close();
    this.values = [];
  }

  get #choices() {
    return this.#options.source.choices();
  }

  #watchForm() {
    if (this.form || !this.input.form) return;
    this.form = this.input.form;
    this.form.addEventListener("reset", () => this.clear());
  }

  #typed() {
    if (this.#options.isMultiple && this.input.value.endsWith(",")) this.#commit();
    // The whole list would cover what is below a field that was just emptied.
    if (this.input.value.trim()) this.#open();
    else this.#close();
  }

  #open() {
    const typed = this.input.value.trim();
    const choices = this.#choices;
    const free = choices.filter(({ value, expands }) => expands || !this.#values.includes(value));
    // A field for one that has a value offers the others too.
    const isPicked = !this.#options.isMultiple && choiceNamed(choices, typed) !== undefined;
    const { shown, more } = matchingChoices(free, isPicked ? "" : typed, mostShown);
    if (this.#options.hasPatterns && isPattern(typed) && !/[,\s]/.test(typed)) {
      shown.unshift({ value: typed, name: typed, note: this.#patternNote(choices, typed) });
    }
    this.#shown = shown;
    this.#active = -1;
    setChildren(this.list, shown.map((choice, index) => element("li", {
      role: "option", id: `${this.list.id}-${index}`, "aria-selected": "false", data: { index },
    }, element("span", {}, choice.name), choice.note && element("small", {}, choice.note))));
    setChildren(this.more, more > 0 && texts.more(more));
    this.popup.hidden = shown.length === 0;
    this.#showState();
  }

  #close() {
    this.popup.hidden = true;
    this.#active = -1;
    this.#showState();
  }

  #patternNote = (choices, pattern) => texts.pattern(this.#options.source.count(countMatches(choices, pattern)));

  #showState() {
    this.input.setAttribute("aria-expanded", String(!this.popup.hidden));
    const options = [...this.list.children];
    options.forEach((option, index) => option.setAttribute("aria-selected", String(index === this.#active)));
    const active = options[this.#active];
    if (active) {
      this.input.setAttribute("aria-activedescendant", active.id);
      active.scrollIntoView({ block: "nearest" });
    } else this.input.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const isOpen = !this.popup.hidden;
    const handle = () => event.preventDefault();
    switch (event.key) {
      case "ArrowDown": case "ArrowUp": {
        handle();
        if (!isOpen) this.#open();
        const count = this.#shown.length;
        if (!count) return;
        const step = event.key === "ArrowDown" ? 1 : -1;
        this.#active = this.#active < 0 && step < 0 ? count - 1 : (this.#active + step + count) % count;
        this.#showState();
        break;
      }
      case "Enter":
        if (isOpen && this.#active >= 0) {
          handle();
          this.#pick(this.#shown[this.#active]);
        } else if (this.#options.isMultiple && this.input.value.trim()) {
          handle();
          this.#commit();
        } else this.#close();
        break;
      case "Escape":
        if (!isOpen) return;
        // Only the list closes, and not what is around the field.
        event.stopPropagation();
        handle();
        this.#close();
        break;
      case "Backspace":
        if (this.#options.isMultiple && !this.input.value && this.#values.length) this.#remove(this.#values.at(-1));
        break;
    }
  }

  #pickAt(item) {
    if (item) this.#pick(this.#shown[Number(item.dataset.index)]);
  }

  #pick(choice) {
    if (this.#options.isMultiple) this.#add(choice.expands ?? [choice.value]);
    else {
      this.value = choice.value;
      this.#options.onChange?.();
    }
    this.#close();
  }

  /** Makes chips of what is typed. */
  #commit() {
    const values = valuesIn(this.#choices, this.input.value);
    if (values.length) this.#add(values);
    this.#close();
  }

  #add(values) {
    this.input.value = "";
    const added = values.filter((value) => !this.#values.includes(value));
    this.#values.push(...added);
    this.#draw();
    if (!added.length) return;
    announce(texts.added(added.map((value) => labelOf(this.#choices, value)).join(", ")));
    this.#options.onChange?.();
  }

  #remove(value) {
    this.#values = this.#values.filter((one) => one !== value);
    this.#draw();
    announce(texts.removed(labelOf(this.#choices, value)));
    this.#options.onChange?.();
    this.input.focus();
  }

  #left() {
    this.#close();
    afterClick(() => {
      if (this.#options.isMultiple) this.#commit();
      else {
        this.#showName();
        this.#options.onChange?.();
      }
    });
  }

  /** Shows the id behind a name. */
  #describe() {
    const { value } = this;
    this.input.title = value === this.input.value ? "" : value;
  }

  #draw() {
    if (!this.#options.isMultiple) {
      this.#describe();
      return;
    }
    const choices = this.#choices;
    this.chips.hidden = !this.#values.length;
    this.input.required = this.#options.isRequired === true && !this.#values.length;
    setChildren(this.chips, this.#values.map((value) => {
      const label = labelOf(choices, value);
      const note = isPattern(value) ? this.#options.source.count(countMatches(choices, value))
        : choices.some((choice) => choice.value === value) ? null : texts.unknown;
      return element("li.chip", { title: label === value ? null : value }, label,
        note && element("small", {}, ` ${note}`),
        element("button.quiet", {
          type: "button", "aria-label": texts.remove(label), onClick: () => this.#remove(value),
        }, "✕"));
    }));
  }
}
