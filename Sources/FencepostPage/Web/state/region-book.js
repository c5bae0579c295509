import { Observable } from "../core/observable.js";

/** The regions by id, as GeoJSON features. */
export class RegionBook {
  /** A map of id and feature; told whenever one of them changes. */
  changes = new Observable(new Map());
  /** Whether they have been read; `false` shows as loading. */
  isLoaded = false;
  /** Whether there are more than are shown. */
  isCut = false;
  /** What went wrong when they were read, or null. */
  problem = new Observable(null);

  get all() {
    return this.changes.value;
  }

  get(id) {
    return this.changes.value.get(id);
  }

  /** What people call it. */
  nameOf = (id) => this.changes.value.get(id)?.properties?.name ?? id;

  replace(features, isCut) {
    this.isLoaded = true;
    this.isCut = isCut;
    this.problem.value = null;
    this.changes.value = new Map(features.map((feature) => [String(feature.id), feature]));
  }

  put(feature) {
    this.changes.value.set(String(feature.id), feature);
    this.changes.tell();
  }

  remove(id) {
    if (this.changes.value.delete(id)) this.changes.tell();
  }
}
