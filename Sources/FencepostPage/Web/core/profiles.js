// The names, the colours and the pictures of devices, for all parts of the page.

import { get, pathSegment, request } from "./api.js";
import { labelAmong } from "./label.js";
import { Observable } from "./observable.js";

class Profiles {
  /** Changes with every profile. */
  changes = new Observable(0);
  #byID = new Map();
  /** The ids of the devices with each name. */
  #namesakes = new Map();
  /** How often the picture of a device changed in this page. */
  #versions = new Map();

  /** Loads the profiles of the devices that the caller may see. Without them the page has ids. */
  async load() {
    try {
      const { data } = await get("/v1/profiles");
      this.#byID = new Map(data.map((profile) => [profile.id, profile]));
    } catch {
      this.#byID = new Map();
    }
    this.#notify();
  }

  #notify() {
    this.#namesakes = new Map();
    for (const { id, name } of this.#byID.values()) {
      if (name) this.#namesakes.set(name, [...(this.#namesakes.get(name) ?? []), id]);
    }
    this.changes.value += 1;
  }

  /** The name that people gave a device, or else its id. */
  nameOf = (id) => this.#byID.get(id)?.name ?? id;

  /** The name of a device for lists, where several of one name have to be told apart: `Jane (phone)`. */
  labelOf = (id) => labelAmong(id, this.nameOf(id), this.#namesakes.get(this.nameOf(id)) ?? []);

  /** The colour of a device, such as `#b5179e`; null for that of all devices. */
  colorOf(id) {
    return this.#byID.get(id)?.color ?? null;
  }

  /** Whether a device has a picture. */
  hasFace = (id) => this.#byID.get(id)?.hasFace === true;

  /** A number that is another one for another picture. */
  versionOf = (id) => this.#versions.get(id) ?? 0;

  /**
   * The picture of a device; null for none. The security policy of the page allows no images but its own files, so the
   * picture is a bitmap for a canvas.
   */
  async face(id) {
    if (!this.hasFace(id)) return null;
    const { data } = await request("GET", `/v1/devices/${pathSegment(id)}/face`, { accept: "image/*", isBinary: true });
    return createImageBitmap(data);
  }

  /** Stores a picture of a device, a JPEG file; null removes it. */
  async saveFace(id, file) {
    const path = `/v1/devices/${pathSegment(id)}/face`;
    if (file) await request("PUT", path, { body: file, type: "image/jpeg" });
    else await request("DELETE", path);
    this.#byID.set(id, { ...this.#byID.get(id), id, hasFace: file !== null });
    this.#versions.set(id, this.versionOf(id) + 1);
    this.#notify();
  }

  /** Stores the name and the colour of a device; null for none. */
  async save(id, { name, color }) {
    const { data } = await request("PUT", `/v1/devices/${pathSegment(id)}/profile`, { json: { name, color } });
    this.#byID.set(id, data);
    this.#notify();
  }

  clear() {
    this.#byID.clear();
    this.#namesakes.clear();
  }
}

export const profiles = new Profiles();
