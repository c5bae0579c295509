// The choice of the tiles below the layers of the page: none, OpenStreetMap, a file, or another server. The service
// keeps it for all who use it. The content security policy follows it, so the page is loaded again.

import { request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { formatBytes } from "../core/format.js";
import { session } from "../core/session.js";
import { isNarrow } from "../history/dock.js";
import { text } from "../text/text.js";
import { addButton } from "./map.js";

const texts = text.map.streets;

/** The bytes of a request with a part of a file. */
const partSize = 4 << 20;

const endings = [".pmtiles", ".mbtiles"];

/** What the service knows when it sends the page: `open`, `made` or `configured`. */
const { choice, policy } = document.querySelector("meta[name=fencepost-tiles]").dataset;

/** Adds the button "Streets", the offer at first sight, and the drop of a file on the map, for administrators. */
export function addStreets(map) {
  if (choice === "configured") return;
  const panel = new StreetsPanel();
  const container = map.getContainer();
  container.append(panel.element);
  // Clicks and turns of the wheel are not for the map below.
  for (const name of ["click", "dblclick", "mousedown", "pointerdown", "wheel"]) {
    panel.element.addEventListener(name, (event) => event.stopPropagation());
  }
  const button = addButton(map, texts.title, "▦", () => (panel.element.hidden ? panel.open() : panel.close()));
  button.dataset.needs = "admin";
  map.on("choosestreets", () => panel.open());
  session.access.watch(() => {
    if (choice === "open" && session.can("admin") && panel.element.hidden) panel.offer();
  });
  const isFile = (event) => event.dataTransfer?.types.includes("Files") && session.can("admin");
  container.addEventListener("dragover", (event) => isFile(event) && event.preventDefault());
  container.addEventListener("drop", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    panel.open();
    panel.send(event.dataTransfer.files[0]);
  });
}

class StreetsPanel {
  #problem = element("p.field-problem", { role: "alert" });
  #progress = element("div.streets-progress", { role: "status" });
  #input = element("input", { type: "file", accept: endings.join(","), hidden: true, "aria-label": texts.fileLabel,
    onChange: () => this.#input.files[0] && this.send(this.#input.files[0]) });
  #address = element("input", { id: uniqueID("address"), required: true, spellcheck: "false", autocapitalize: "none",
    inputmode: "url" });
  #attribution = element("input", { id: uniqueID("attribution"), required: true, maxlength: 256,
    placeholder: texts.attributionPlaceholder });
  #form = element("form.form", { hidden: true, onSubmit: (event) => {
    event.preventDefault();
    this.#choose({ tiles: this.#address.value.trim(), attribution: this.#attribution.value.trim() });
  } },
  element("label", { for: this.#address.id }, texts.address), this.#address,
  element("label", { for: this.#attribution.id }, texts.attribution), this.#attribution,
  element("div.row", {}, element("button.primary", { type: "submit" }, texts.useServer)));
  #title = element("h2");
  #none = element("button.quiet", { type: "button", onClick: () => this.#choose({ tiles: "none" }) });
  #isSending = null;

  constructor() {
    const other = element("button", { type: "button", "aria-expanded": "false", onClick: () => {
      this.#form.hidden = !this.#form.hidden;
      other.setAttribute("aria-expanded", String(!this.#form.hidden));
      if (!this.#form.hidden) this.#address.focus();
    } }, texts.otherServer);
    this.element = element("section.streets", {
      hidden: true, tabindex: "-1", "aria-label": texts.title, data: { needs: "admin" },
      onKeydown: (event) => event.key === "Escape" && this.close(),
    },
    element("header", {}, this.#title,
      element("button.quiet", { type: "button", "aria-label": text.common.close, onClick: () => this.close() }, "✕")),
    element("div.row", {},
      element("button", { type: "button", onClick: () => this.#choose({ tiles: "openstreetmap" }) },
        texts.openStreetMap),
      element("button", { type: "button", onClick: () => this.#input.click() }, texts.file), other, this.#none),
    // On a phone the map is small.
    element("details", { open: !isNarrow() }, element("summary", {}, texts.about),
      element("p.hint", {}, texts.hint(element("a", { href: policy, rel: "noreferrer" }, texts.policy)))),
    this.#input, this.#form, this.#progress, this.#problem);
  }

  /** Shows the choice to who has made none. */
  offer() {
    this.#title.textContent = texts.offer;
    this.#none.textContent = texts.none;
    this.element.hidden = false;
  }

  open() {
    this.offer();
    this.#title.textContent = texts.title;
    this.element.focus();
  }

  close() {
    this.#isSending?.abort();
    this.element.hidden = true;
  }

  async #choose(json) {
    try {
      await request("PUT", "/v1/map", { json });
      location.reload();
    } catch (problem) {
      this.#show(problem);
    }
  }

  /** Sends a file in parts, so that a country needs no memory of its size anywhere. */
  async send(file) {
    if (!endings.some((ending) => file.name.toLowerCase().endsWith(ending))) {
      setChildren(this.#problem, texts.noMap(file.name, endings));
      return;
    }
    setChildren(this.#problem);
    this.#isSending?.abort();
    const sending = new AbortController();
    this.#isSending = sending;
    const bar = element("progress", { max: file.size, value: 0, "aria-label": texts.sending(file.name) });
    setChildren(this.#progress, element("span", {}, texts.sendingSize(file.name, formatBytes(file.size)), " "), bar,
      element("button.small", { type: "button", onClick: () => sending.abort() }, text.common.cancel));
    try {
      for (let offset = 0; offset < file.size; offset += partSize) {
        await request("PUT", "/v1/map/file", {
          query: { name: file.name, offset, total: file.size }, body: file.slice(offset, offset + partSize),
          type: "application/octet-stream", signal: sending.signal,
        });
        bar.value = Math.min(offset + partSize, file.size);
      }
      location.reload();
    } catch (problem) {
      setChildren(this.#progress);
      this.#input.value = "";
      if (problem.name !== "AbortError") this.#show(problem);
    }
  }

  #show(problem) {
    const details = problem.errors?.map(({ detail }) => detail) ?? [];
    setChildren(this.#problem, details.length ? details.join(" ") : problem.message);
  }
}
