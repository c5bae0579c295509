// The names and colours of devices, for all parts of the page.

import { get, pathSegment, request } from "./api.js";
import { Observable } from "./observable.js";

class Profiles {
  /** Changes with every profile. */
  changes = new Observable(0);
  #byID = new Map();

  /** Loads the profiles of the devices that the caller may see. Without them the page has ids. */
  async load() {
    try {
      const { data } = await get("/v1/profiles");
      this.#byID = new Map(data.map((profile) => [profile.id, profile]));
    } catch {
      this.#byID = new Map();
    }
    this.changes.value += 1;
  }

  /** The name that people gave a device, or else its id. */
  nameOf = (id) => this.#byID.get(id)?.name ?? id;

  /** The colour of a device, such as `#b5179e`; null for that of all devices. */
  colorOf(id) {
    return this.#byID.get(id)?.color ?? null;
  }

  /** Stores the name and the colour of a device; null for none. */
  async save(id, { name, color }) {
    const { data } = await request("PUT", `/v1/devices/${pathSegment(id)}/profile`, { json: { name, color } });
    this.#byID.set(id, data);
    this.changes.value += 1;
  }

  clear() {
    this.#byID.clear();
  }
}

export const profiles = new Profiles();
