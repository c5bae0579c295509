import { Observable } from "../core/observable.js";

/** All regions by id, as GeoJSON features. */
export class RegionStore {
  /** The map of id to feature; notifies after every change. */
  changes = new Observable(new Map());
  /** Whether the regions are loaded. */
  isLoaded = false;
  /** Whether the service has more regions than the page loads. */
  isTruncated = false;
  /** The error of the last load, or null. */
  problem = new Observable(null);

  get all() {
    return this.changes.value;
  }

  get(id) {
    return this.changes.value.get(id);
  }

  /** The region's name, or its id if it has no name. */
  nameOf = (id) => this.changes.value.get(id)?.properties?.name ?? id;

  replace(features, isTruncated) {
    this.isLoaded = true;
    this.isTruncated = isTruncated;
    this.problem.value = null;
    this.changes.value = new Map(features.map((feature) => [String(feature.id), feature]));
  }

  put(feature) {
    this.changes.value.set(String(feature.id), feature);
    this.changes.notify();
  }

  remove(id) {
    if (this.changes.value.delete(id)) this.changes.notify();
  }
}
