// A simulated app on the test device that the system has terminated. For each event the service then reports whether
// iOS would have relaunched the app.

import { pathSegment, request } from "../core/api.js";
import { text } from "../text/text.js";

const id = "test-app";

/** Adds the app to the device and terminates it, because an earlier event may have relaunched it. */
export async function prepareTestApp(deviceID) {
  const { testApp: name, testAppPurpose: purpose } = text.live.walk;
  await request("PUT", `/v1/apps/${pathSegment(id)}`, { json: {
    name,
    devices: [deviceID],
    given: {
      platform: "iOS", osVersion: "27.0", grant: "always", lifecycle: "terminated", terminatedBy: "system",
      infoPlist: [`NSLocationWhenInUseUsageDescription:${purpose}`,
        `NSLocationAlwaysAndWhenInUseUsageDescription:${purpose}`],
    },
    services: [{ service: "regionCircular" }, { service: "visits" }],
  } });
  await request("POST", `/v1/apps/${pathSegment(id)}/steps`, { json: [{ do: "terminate", by: "system" }] });
}

/** Removes the app, if there is one. */
export async function removeTestApp() {
  try {
    await request("DELETE", `/v1/apps/${pathSegment(id)}`);
  } catch (problem) {
    if (problem.status !== 404) throw problem;
  }
}
