// An app on the test device, in the state that makes people wonder: the system terminated it. For each event the
// service then says whether iOS would have started it again.

import { part, request } from "../core/api.js";

const id = "test-app";
const purpose = "To show what would happen";

/** Puts the app on the device, and lets the system terminate it if an event has started it since. */
export async function armTestApp(deviceID) {
  await request("PUT", `/v1/apps/${part(id)}`, { json: {
    name: "Test app",
    devices: [deviceID],
    given: {
      platform: "iOS", osVersion: "18.1", grant: "always", lifecycle: "terminated", terminatedBy: "system",
      infoPlist: [`NSLocationWhenInUseUsageDescription:${purpose}`,
        `NSLocationAlwaysAndWhenInUseUsageDescription:${purpose}`],
    },
    services: [{ service: "regionCircular" }, { service: "visits" }],
  } });
  await request("POST", `/v1/apps/${part(id)}/steps`, { json: [{ do: "terminate", by: "system" }] });
}
