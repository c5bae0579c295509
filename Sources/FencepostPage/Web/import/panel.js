import { get, pathSegment, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { formatDateTime } from "../core/time.js";
import { sessionPanel } from "../shell/tabs.js";
import { importReport } from "./report.js";
import { boxOf, ImportLayer } from "./track-layer.js";

const pollInterval = 1000;
const stateTexts = {
  storing: "Storing locations", paused: "Paused: the storage cannot write. It goes on when there is space",
  evaluating: "Evaluating the history", done: "Done", cancelled: "Cancelled",
};

/** The Import tab: a file, what it contains, where it was, the import with its progress, and the result. */
export const importPanel = {
  id: "import",
  title: "Import",
  mount(app, container) {
    const panel = new ImportPanel(app, container);
    const handle = sessionPanel({ load: () => panel.open(), clear: () => panel.clear() });
    return { show: handle.show, hide: () => {
      handle.hide();
      panel.close();
    } };
  },
};

class ImportPanel {
  #app;
  #file = null;
  #abort = new AbortController();
  #timer = 0;
  /** The device and the format of the preview that is shown. */
  #shown = "";

  constructor(app, container) {
    this.#app = app;
    this.layer = new ImportLayer();
    this.input = element("input#import-history-file", {
      type: "file", onChange: () => this.#choose(this.input.files[0]),
    });
    this.device = element("input#import-device", {
      list: "import-devices", value: "default", required: true, maxlength: 256, onChange: () => this.#previewOther(),
    });
    this.devices = element("datalist#import-devices");
    this.formats = element("select#import-format", { onChange: () => this.#previewOther() },
      element("option", { value: "" }, "detect it"));
    this.preview = element("section", { "aria-label": "The file" });
    this.jobs = element("section", { "aria-label": "Imports" });
    const area = element("div.drop-area", {
      onDragover: (event) => {
        event.preventDefault();
        area.classList.add("drag-over");
      },
      onDragleave: () => area.classList.remove("drag-over"),
      onDrop: (event) => {
        event.preventDefault();
        area.classList.remove("drag-over");
        this.#choose(event.dataTransfer.files[0]);
      },
    }, element("label", { for: "import-history-file" }, "Choose a file, or drop it here"), this.input);
    container.append(element("h2", {}, "Import"), element("p.hint", {}, "Histories of other programs: GPX, KML, CSV, ",
      "GeoJSON, NMEA, Google Takeout and Timeline, OwnTracks, Dawarich, GeoPulse, also in archives. Nothing is stored ",
      "before you start the import."),
    element("div.form", {}, area,
      element("label", { for: "import-device" }, "Device of records that name none"), this.device, this.devices,
      element("label", { for: "import-format" }, "Format"), this.formats), this.preview, this.jobs);
  }

  open() {
    this.#app.map.addLayer(this.layer);
    setChildren(this.devices, this.#app.devices.ids.slice(0, 500).map((id) => element("option", { value: id })));
    if (this.formats.options.length === 1) this.#loadFormats();
    this.#loadJobs();
  }

  close() {
    clearTimeout(this.#timer);
    this.layer.remove();
  }

  clear() {
    this.close();
    this.#abort.abort();
    this.#file = null;
    this.input.value = "";
    this.layer.show([]);
    setChildren(this.preview);
    setChildren(this.jobs);
    setChildren(this.devices);
  }

  async #loadFormats() {
    const { paths } = await get("/openapi.json").catch(() => ({ paths: {} }));
    const format = paths["/v1/imports"]?.post.parameters.find(({ name }) => name === "format");
    for (const name of format?.schema.enum ?? []) this.formats.append(element("option", { value: name }, name));
  }

  #choose(file) {
    if (!file) return;
    this.#file = file;
    this.#preview();
  }

  /** A field that was left as it was for the preview changes nothing. */
  #previewOther() {
    if (this.#shown !== this.#fields) this.#preview();
  }

  get #fields() {
    return `${this.formats.value} ${this.device.value}`;
  }

  /** Asks the service what the file contains and what it would bring about. */
  async #preview() {
    if (!this.#file || !this.device.value) return;
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const { name } = this.#file;
    this.#shown = this.#fields;
    setChildren(this.preview, loading(`Reading ${name} …`));
    this.layer.show([]);
    try {
      const { data } = await this.#send({ dryRun: true, lines: true }, signal);
      if (signal.aborted) return;
      const lines = data.devices.map(({ line }) => line);
      this.layer.show(lines);
      const box = boxOf(lines);
      if (box) this.#app.mapView.showBox(box, 16);
      const isEmpty = data.stored + data.duplicates === 0;
      setChildren(this.preview, element("div.card", {}, element("h2", {}, name), importReport(data, true),
        isEmpty && element("p.hint", {}, "The file has no location that can be stored."),
        element("div.row", {},
          element("button.primary", { type: "button", disabled: isEmpty, onClick: () => this.#start() },
            "Start the import"),
          element("button", { type: "button", onClick: () => this.#discard() }, "Discard"))));
    } catch (problem) {
      if (!signal.aborted && problem.name !== "AbortError") this.#showProblem(problem, name);
    }
  }

  #discard() {
    this.#abort.abort();
    this.#file = null;
    this.input.value = "";
    this.layer.show([]);
    setChildren(this.preview);
  }

  async #start() {
    const { name } = this.#file;
    const { signal } = this.#abort;
    setChildren(this.preview, loading(`Importing ${name} …`));
    try {
      const { status, data } = await this.#send({}, signal);
      if (status === 202) {
        this.#discard();
        this.#app.toast(`${name} is imported in the background.`);
        await this.#loadJobs();
        return;
      }
      setChildren(this.preview, element("div.card", { role: "status" }, element("h2", {}, `${name} was imported`),
        importReport(data, false), element("div.row", {}, element("button", {
          type: "button", onClick: () => this.#discard(),
        }, "Close"))));
      this.#app.poller.poll();
    } catch (problem) {
      if (problem.name !== "AbortError") this.#showProblem(problem, name);
    }
  }

  #send(query, signal) {
    return request("POST", "/v1/imports", {
      query: { ...query, file: this.#file.name, deviceId: this.device.value, format: this.formats.value },
      body: this.#file, type: "application/octet-stream", signal,
    });
  }

  #showProblem(problem, name) {
    setChildren(this.preview, element("div.empty.bad", { role: "alert" },
      element("p.empty-title", {}, `${name} cannot be imported`), element("p", {}, problem.message),
      element("button", { type: "button", onClick: () => this.#preview() }, "Try again")));
  }

  /** Shows the imports in the background, again and again while one is under way. */
  async #loadJobs() {
    clearTimeout(this.#timer);
    let jobs;
    try {
      jobs = (await get("/v1/imports", { limit: 10 })).data;
    } catch (problem) {
      const text = "Imports need a token with the scope ingest.";
      setChildren(this.jobs, problem.status === 403 && element("p.hint", {}, text));
      return;
    }
    // Details that are open stay open.
    const open = new Set([...this.jobs.querySelectorAll("details[open]")].map((node) => node.dataset.id));
    setChildren(this.jobs, jobs.length > 0 && [element("h3", {}, "Imports in the background"),
      element("ul.lines.import-jobs", {}, jobs.map((job) => this.#jobItem(job, open.has(job.id))))]);
    if (jobs.some(({ state }) => state !== "done" && state !== "cancelled")) {
      this.#timer = setTimeout(() => this.#loadJobs(), pollInterval);
    }
  }

  #jobItem(job, isOpen) {
    const isOver = job.state === "done" || job.state === "cancelled";
    const percent = Math.round(job.progress * 100);
    return element("li", {}, element("strong", {}, job.file ?? "A file"),
      element("small", { role: isOver ? null : "status" }, `${stateTexts[job.state]}, ${formatDateTime(job.createdAt)}`,
        !isOver && `, ${percent} %`),
      !isOver && element("progress.import-progress", {
        max: 100, value: percent, "aria-label": `Progress of ${job.file ?? "the file"}`,
      }),
      element("details", { open: isOpen, data: { id: job.id } }, element("summary", {}, "Report"),
        importReport(job, false)),
      !isOver && element("div.row", {}, element("button", { type: "button", onClick: () => this.#cancel(job) },
        "Cancel")));
  }

  async #cancel(job) {
    try {
      await request("DELETE", `/v1/imports/${pathSegment(job.id)}`);
      this.#app.toast(`The import of ${job.file ?? "the file"} was cancelled. What it has stored stays.`);
    } catch (problem) {
      this.#app.toast(problem.message, { tone: "bad" });
    }
    await this.#loadJobs();
  }
}

const loading = (text) => element("div.empty.loading", { role: "status" }, element("p", {}, text));
