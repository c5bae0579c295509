import { get, pathSegment, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { formatDateTime } from "../core/time.js";
import { Picker } from "../pick/picker.js";
import { deviceSource } from "../pick/sources.js";
import { sessionPanel } from "../shell/tabs.js";
import { text } from "../text/text.js";
import { importReport } from "./report.js";
import { boxOf, ImportLayer } from "./track-layer.js";

const texts = text.imports;
const pollInterval = 1000;

/** The Import tab: a file, what it contains, where it was, the import with its progress, and the result. */
export const importPanel = {
  id: "import",
  isWide: true,
  needs: "ingest",
  title: texts.title,
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
    this.device = new Picker({
      id: "import-device", source: deviceSource(app), isRequired: true, maxlength: 256,
      onChange: () => this.#previewOther(),
    });
    this.device.value = "default";
    this.formats = element("select#import-format", { onChange: () => this.#previewOther() },
      element("option", { value: "" }, texts.detectFormat));
    this.preview = element("section", { "aria-label": texts.preview.label });
    this.jobs = element("section", { "aria-label": texts.jobs.label });
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
    }, element("label", { for: "import-history-file" }, texts.chooseFile), this.input);
    container.append(element("h2", {}, texts.title), element("p.hint", {}, texts.hint), element("div.form", {}, area,
      element("label", { for: "import-device" }, texts.device), this.device.element,
      element("label", { for: "import-format" }, texts.format), this.formats), this.preview, this.jobs);
  }

  open() {
    this.#app.map.addLayer(this.layer);
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
    this.device.value = "default";
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
    setChildren(this.preview, loading(texts.preview.reading(name)));
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
        isEmpty && element("p.hint", {}, texts.preview.noLocation),
        element("div.row", {},
          element("button.primary", { type: "button", disabled: isEmpty, onClick: () => this.#start() },
            texts.preview.start),
          element("button", { type: "button", onClick: () => this.#discard() }, texts.preview.discard))));
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
    setChildren(this.preview, loading(texts.preview.importing(name)));
    try {
      const { status, data } = await this.#send({}, signal);
      if (status === 202) {
        this.#discard();
        this.#app.toast(texts.preview.inBackground(name));
        await this.#loadJobs();
        return;
      }
      setChildren(this.preview, element("div.card", { role: "status" }, element("h2", {}, texts.preview.imported(name)),
        importReport(data, false), element("div.row", {}, element("button", {
          type: "button", onClick: () => this.#discard(),
        }, text.common.close))));
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
      element("p.empty-title", {}, texts.preview.failed(name)), element("p", {}, problem.message),
      element("button", { type: "button", onClick: () => this.#preview() }, text.common.tryAgain)));
  }

  /** Shows the imports in the background, again and again while one is under way. */
  async #loadJobs() {
    clearTimeout(this.#timer);
    let jobs;
    try {
      jobs = (await get("/v1/imports", { limit: 10 })).data;
    } catch (problem) {
      setChildren(this.jobs, problem.status === 403 && element("p.hint", {}, texts.jobs.needsScope));
      return;
    }
    // Details that are open stay open.
    const open = new Set([...this.jobs.querySelectorAll("details[open]")].map((node) => node.dataset.id));
    setChildren(this.jobs, jobs.length > 0 && [element("h3", {}, texts.jobs.title),
      element("ul.lines.import-jobs", {}, jobs.map((job) => this.#jobItem(job, open.has(job.id))))]);
    if (jobs.some(({ state }) => state !== "done" && state !== "cancelled")) {
      this.#timer = setTimeout(() => this.#loadJobs(), pollInterval);
    }
  }

  #jobItem(job, isOpen) {
    const isOver = job.state === "done" || job.state === "cancelled";
    const percent = Math.round(job.progress * 100);
    return element("li", {}, element("strong", {}, job.file ?? texts.jobs.aFile),
      element("small", { role: isOver ? null : "status" },
        `${texts.jobs.states[job.state]}, ${formatDateTime(job.createdAt)}`,
        !isOver && `, ${percent} %`),
      !isOver && element("progress.import-progress", {
        max: 100, value: percent, "aria-label": texts.jobs.progress(job.file),
      }),
      element("details", { open: isOpen, data: { id: job.id } }, element("summary", {}, texts.jobs.report),
        importReport(job, false)),
      !isOver && element("div.row", {}, element("button", { type: "button", onClick: () => this.#cancel(job) },
        text.common.cancel)));
  }

  async #cancel(job) {
    try {
      await request("DELETE", `/v1/imports/${pathSegment(job.id)}`);
      this.#app.toast(texts.jobs.cancelled(job.file));
    } catch (problem) {
      this.#app.toast(problem.message, { tone: "bad" });
    }
    await this.#loadJobs();
  }
}

const loading = (label) => element("div.empty.loading", { role: "status" }, element("p", {}, label));
