// The types of the API. Generated from the service's /openapi.json by Tests/Page/api_types.py: do not edit.

/** An object whose members the description of the API leaves open. */
type Open = { [name: string]: any };

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance?: string;
  code: string;
  errors?: {
    pointer?: string;
    line?: number;
    parameter?: string;
    code: string;
    detail: string;
    network?: string;
  }[];
  accepted?: number;
  duplicates?: number;
  rejected?: { index: number; code: string; detail: string }[];
};

export type Location = {
  deviceId: string;
  timestamp: string;
  latitude: number;
  longitude: number;
  horizontalAccuracy?: number;
  altitude?: number;
  verticalAccuracy?: number;
  speed?: number;
  course?: number;
  floor?: number;
  batteryLevel?: number;
  batteryState?: string;
  isSimulated?: boolean;
  source?: string;
  trigger?: string;
  late?: true;
  untrusted?: "clock_ahead";
};

export type IngestReport = {
  accepted: number;
  duplicates: number;
  rejected: { index: number; code: string; detail: string }[];
  dropped?: { [name: string]: number };
};

export type ImportReport = {
  file: string | null;
  format: string;
  stored: number;
  notes?: string[];
  duplicates: number;
  repeated?: number;
  ignored: number;
  rejected: { line?: number; index?: number; code: string; detail: string }[];
  dropped?: { [name: string]: number };
  events?: { [name: string]: number };
  devices?: {
    id: string;
    locations: number;
    from: string;
    to: string;
    line: [number, number][];
  }[];
};

export type ImportJob = {
  id: string;
  state: "staging" | "storing" | "evaluating" | "paused" | "done" | "cancelled";
  progress: number;
  file?: string | null;
  format?: string;
  createdAt?: string;
  locations?: number;
  stored: number;
  duplicates: number;
  ignored: number;
  rejected: Open[];
  dropped?: { [name: string]: number };
  events: { [name: string]: number };
};

export type Evaluation = {
  deviceId: string;
  from: string;
  to: string;
  regions: "then" | "today";
  reason: "lateLocations" | "import" | "request";
};

export type NewEvaluation = { from?: string; to?: string; regions?: "then" | "today" };

export type QuarantineEntry = {
  receivedAt: string;
  format: string;
  deviceId?: string;
  index: number;
  code: string;
  detail: string;
  location?: Location;
};

export type PhoneReport = {
  deviceId: string;
  timestamp: string;
  kind: "transition" | "waypoint" | "visit";
};

export type Region = {
  type: "Feature";
  id?: string | number;
  geometry: {
    type: "Polygon" | "MultiPolygon" | "Point" | "LineString" | "MultiLineString";
    coordinates: any[];
  };
  properties: { radius?: any; width?: any; name?: any; tags?: any } | null;
};

export type RegionCollection = { type: "FeatureCollection"; features: Region[]; nextCursor?: string };

export type RegionImport = {
  created: number;
  replaced: number;
  replacedIds?: string[];
  warnings?: { pointer?: string; line?: number; code: string; detail: string }[];
  regions?: Region[];
};

export type Event = {
  id: string;
  sequence?: number;
  type: string;
  timestamp: string;
  detectedAt?: string;
  receivedAt?: string;
  earliest?: string;
  latest?: string;
  deviceId?: string;
  retracts?: string;
  retractedType?: string;
  endpoint?: { id: string; description?: string };
  delivery?: { id: string; eventId: string; eventType: string; attempts: number };
  schedule?: { id: string; name: string };
  report?: {
    kind: string;
    format: string;
    path: string;
    from?: string;
    to?: string;
    timeZone?: string;
    firstDate?: string;
    lastDate?: string;
  };
  recipients?: string[];
  region?: { id: string; name?: string; tags: string[]; metadata?: any };
  visit?: Visit;
  app?: { id: string; name?: string };
  alert?: Alert;
  fence?: Fence;
  proximity?: Proximity;
  plan?: RoundEvent;
  location?: Location;
  confidence?: number;
  reason?: string;
  dwell?: number;
  revision?: number;
  supersedes?: string;
  apps?: Delivery[];
  superseded?: string;
  why?: {
    rule: string;
    fix?: Location;
    distance?: number;
    accuracy?: number;
    probability?: number;
    heldBack?: string[];
  };
};

export type Alert = {
  rule: string;
  state: "started" | "ended";
  value?: number;
  limit?: number;
  unit?: string;
  distance?: number;
  duration?: number;
};

export type Visit = {
  deviceId?: string;
  id: string;
  arrival: string | null;
  departure: string | null;
  arrivalEarliest?: string;
  arrivalLatest?: string;
  departureEarliest?: string;
  departureLatest?: string;
  latitude: number;
  longitude: number;
  horizontalAccuracy: number;
  regions: string[];
  address?: string | null;
};

export type Device = {
  id: string;
  lastLocation?: Location;
  regions: string[];
  visit?: Visit;
  isStale: boolean;
  alerts?: { rule: string; regionId?: string; since: string }[];
  fence?: FenceState;
  clockOffset?: number;
  secondPhone?: { latitude: number; longitude: number };
};

export type DeviceExport = {
  deviceId: string;
  device?: Device;
  locations: Location[];
  events: Event[];
  visits: Visit[];
  reports: any[];
  quarantine: any[];
};

export type App = {
  id?: string;
  name?: string;
  given?: Open;
  devices?: any;
  services?: any[];
  state?: Open;
};

export type StepReports = { steps: Open[] };

export type Delivery = {
  service: string;
  kind: string;
  identifier?: string | null;
  at?: string | null;
  delivery: string;
  relaunch: boolean;
  launchedInto?: string | null;
  appWoken?: boolean;
  decidingRule: string;
  rules: string[];
  because: string;
  confidence?: string;
  warnings?: { rule: string; text: string }[];
  app?: string | null;
  step?: number | null;
  id?: string | null;
  managersNotified?: number;
  runtimeSeconds?: number | null;
  runtimeSecondsRange?: number[];
  launchOptions?: ({ location: boolean; deprecated: boolean }) | null;
  latencySeconds?: number;
  monitorProfile?: string | null;
  copies?: number;
  certainty?: { percent: number | null; words: string };
  settled?: ({
    step: number;
    delivery: string;
    relaunch: boolean;
    launchedInto?: string | null;
    appWoken?: boolean;
    decidingRule: string;
  }) | null;
  visit?: { arrivalDate?: string | null; departureDate?: string | null };
  timeAccuracy?: string;
  spatialAccuracy?: string;
  extensionRuns?: boolean;
  notificationShown?: boolean;
};

export type Decision = Delivery & Open;

export type Rule = {
  id: string;
  text: string;
  scope?: string;
  confidence: "documented" | "staff" | "observed" | "inferred" | "disputed";
  sources: string[];
  references?: RuleSource[];
};

export type RuleSource = {
  key: string;
  kind: "header" | "talk" | "documentation" | "forum" | "article" | "project" | "tool" | "rule";
  title: string;
  publisher: string;
  version?: string | null;
  address?: string | null;
};

export type Endpoint = {
  id: string;
  kind: "webhook" | "ntfy" | "gotify" | "telegram" | "slack" | "discord" | "email" | "apprise" | "mqtt" | "nats" | "redis" | "amqp" | "kafka";
  url: string;
  state: "active" | "disabled";
  events?: string[];
  createdAt?: string;
};

export type EndpointWithSecret = {
  id: string;
  kind: "webhook" | "ntfy" | "gotify" | "telegram" | "slack" | "discord" | "email" | "apprise" | "mqtt" | "nats" | "redis" | "amqp" | "kafka";
  url: string;
  secret?: string;
  state: "active" | "disabled";
  events?: string[];
  createdAt?: string;
};

export type ReportSchedule = {
  id: string;
  name: string;
  report: "summaries" | "trips" | "visits";
  by?: "device" | "region" | "tag" | "group";
  period?: "day" | "week" | "month";
  dayStartsAt?: string;
  deviceId?: string;
  group?: string;
  regionId?: string;
  tag?: string;
  units?: "metric" | "imperial";
  format: "csv" | "xlsx";
  frequency: "daily" | "weekly" | "monthly";
  firstDay?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
  at: string;
  timeZone: string;
  endpoints: string[];
  state: "active" | "disabled";
  createdAt: string;
  nextRun?: string;
  lastRun?: { at: string; from: string; to: string; eventId: string };
};

export type SentReport = { eventId: string; from: string; to: string; endpoints: string[] };

export type EndpointHealth = {
  consecutiveFailures: number;
  lastSuccess?: string;
  firstFailure?: string;
  lastFailure?: string;
};

export type WebhookDelivery = {
  id: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  deviceId?: string;
  status: "pending" | "delivered" | "exhausted" | "cancelled" | "expired" | "suppressed";
  createdAt: string;
  nextAttempt?: string;
  attempts: Attempt[];
};

export type Attempt = {
  number: number;
  startedAt: string;
  duration: number;
  status?: number;
  failure?: "dns" | "connect" | "tls" | "timeout" | "reset" | "blocked" | "status" | "report" | "login" | "unroutable" | "full" | "size" | "refused" | "library";
  excerpt?: string;
  nextAttempt?: string;
};

export type NewToken = {
  name: string;
  scopes: ("ingest" | "read" | "write" | "admin")[];
  deviceId?: string | null;
  expires?: string | null;
  encryptionKey?: string | null;
  friends?: string[] | null;
  regions?: number | null;
};

export type Token = {
  id: string;
  name: string;
  scopes: ("ingest" | "read" | "write" | "admin")[];
  deviceId?: string;
  expires?: string;
  createdAt: string;
  lastUsed?: string;
  hasEncryptionKey?: boolean;
  friends?: string[];
  regions?: number;
};

export type TokenWithText = {
  id: string;
  token: string;
  name: string;
  scopes: ("ingest" | "read" | "write" | "admin")[];
  deviceId?: string;
  expires?: string;
  createdAt: string;
  lastUsed?: string;
  hasEncryptionKey?: boolean;
  friends?: string[];
  regions?: number;
};

export type Readiness = { status: "ok" | "degraded" | "unavailable"; checks: { [name: string]: Open } };

export type Cluster = {
  name: string;
  leader?: string;
  log: { bytes: number; limit: number; first: number; last: number };
  parts?: {
    name: string;
    leader?: string;
    position: number;
    copies?: string[];
    log: { bytes: number; limit: number; first: number; last: number };
  }[];
  away?: string[];
  nodes: {
    name: string;
    role: "starting" | "fetching" | "follower" | "leader" | "failed" | "gone";
    address: string;
    version: string;
    position: number;
    behind: number;
    leads?: number;
    copies?: number;
    problem?: string;
    reportedAt: string;
  }[];
};

export type Version = { name: string; version: string; cluster?: string };

export type TripEnd = {
  time: string;
  latitude: number;
  longitude: number;
  visitId: string | null;
  regions: string[];
  address?: string | null;
};

export type TripLeg = {
  start: { time: string };
  end: { time: string };
  mode: "still" | "walking" | "cycling" | "driving" | "rail" | "air";
  modeConfidence: number;
  distance: number;
  duration: number;
  line: number[][];
};

export type Trip = {
  id: string;
  deviceId: string;
  start: TripEnd;
  end: TripEnd;
  distance: number;
  duration: number;
  movingTime: number;
  unknownTime?: number;
  topSpeed: number;
  mode: "still" | "walking" | "cycling" | "driving" | "rail" | "air";
  modeConfidence: number;
  locations?: number;
  legs: TripLeg[];
  line: number[][];
};

export type Summary = {
  by: "device" | "region" | "tag" | "group";
  period: "day" | "week" | "month";
  timeZone: string;
  dayStartsAt?: string;
  data: {
    deviceId?: string;
    regionId?: string;
    tag?: string;
    group?: string;
    date: string;
    from: string;
    to: string;
    secondsInside: number;
    visits: number;
    trips: number;
    distance: number;
    movingTime: number;
    secondsKnown?: number;
    secondsUnknown?: number;
  }[];
};

export type Timeline = {
  deviceId: string;
  from: string;
  to: string;
  stays: {
    regionId?: string;
    from?: string;
    to?: string;
    seconds?: number;
    beginsBefore?: boolean;
    endsAfter?: boolean;
    isOpen?: boolean;
  }[];
  visits: {
    visit?: Open;
    from?: string;
    to?: string;
    seconds?: number;
    beginsBefore?: boolean;
    endsAfter?: boolean;
    address?: string | null;
    corrected?: boolean;
    name?: string | null;
  }[];
  unknown: {
    kind?: "unknown";
    from?: string;
    to?: string;
    seconds?: number;
    beginsBefore?: boolean;
    endsAfter?: boolean;
  }[];
  secondsKnown?: number;
  secondsUnknown?: number;
  timeZone?: string;
  hours?: number[];
};

export type Place = {
  id: string;
  latitude: number;
  longitude: number;
  radius: number;
  visits: number;
  seconds: number;
  first?: string;
  last?: string;
  typicalHours: string;
  hours?: number[];
  devices: string[];
  regions?: string[];
  lastMonth?: { entered?: number; exited?: number; events?: Open[] };
  address?: string | null;
};

export type NewPlaceRegion = { name?: string; radius?: number; tags?: string[] };

export type GeocodedPlaces = {
  data: {
    name: string;
    address: string;
    latitude: number;
    longitude: number;
    box?: [number, number, number, number];
  }[];
  attribution: string;
};

export type StayCorrection = {
  id: string;
  deviceId: string;
  arrival: string;
  departure: string;
  stay: boolean;
  name?: string;
  latitude?: number;
  longitude?: number;
  regions?: string[];
};

export type NewStayCorrection = {
  arrival: string;
  departure: string;
  stay?: boolean;
  name?: string | null;
  regionId?: string | null;
  latitude?: number | null;
  longitude?: number | null;
};

export type PresenceQuery = {
  geometry?: { type: "Polygon" | "MultiPolygon" | "Point"; coordinates: any[] };
  radius?: number;
  center?: { latitude: number; longitude: number };
  from: string;
  to: string;
};

export type Presence = {
  deviceId: string;
  arrival: string | null;
  departure: string | null;
  arrivalConfidence?: number;
  departureConfidence?: number;
  arrivalEarliest?: string;
  arrivalLatest?: string;
  departureEarliest?: string;
  departureLatest?: string;
};

export type OwnTracks = ({ _type?: any; lat?: any; lon?: any; tst?: any; acc?: any }) | any[];

export type Overland = { locations: any[] };

export type Traccar = ({ position?: any; device?: any; event?: any }) | any[];

export type LocationBatch = { locations: any[] };

export type LocationCollection = { type: "FeatureCollection"; features: { type: "Feature" }[] };

export type PointGeometry = { type: "Point"; coordinates: Position };

export type LineStringGeometry = { type: "LineString"; coordinates: Position[] };

export type MultiLineStringGeometry = { type: "MultiLineString"; coordinates: Position[][] };

export type PolygonGeometry = { type: "Polygon"; coordinates: Position[][] };

export type MultiPolygonGeometry = { type: "MultiPolygon"; coordinates: Position[][][] };

export type Position = [number, number, number];

export type NewCircle = {
  type: "Feature";
  id?: string | number;
  geometry: PointGeometry;
  properties: {
    radius: number;
    name?: string;
    tags?: string[];
    dwell?: number | number[];
    devices?: string | string[];
    notifyOnEntry?: boolean;
    notifyOnExit?: boolean;
    initialState?: "report" | "silent";
    crossing?: "raw" | "confirmed" | "coreLocation";
    minAltitude?: number;
    maxAltitude?: number;
    expires?: string | number;
    speedLimit?: number | string;
  };
};

export type NewCorridor = {
  type: "Feature";
  id?: string | number;
  geometry: LineStringGeometry | MultiLineStringGeometry;
  properties: {
    width: number;
    name?: string;
    tags?: string[];
    dwell?: number | number[];
    devices?: string | string[];
    notifyOnEntry?: boolean;
    notifyOnExit?: boolean;
    initialState?: "report" | "silent";
    crossing?: "raw" | "confirmed" | "coreLocation";
    minAltitude?: number;
    maxAltitude?: number;
    expires?: string | number;
    speedLimit?: number | string;
  };
};

export type NewPolygon = {
  type: "Feature";
  id?: string | number;
  geometry: PolygonGeometry | MultiPolygonGeometry;
  properties: {
    name?: string;
    tags?: string[];
    dwell?: number | number[];
    devices?: string | string[];
    notifyOnEntry?: boolean;
    notifyOnExit?: boolean;
    initialState?: "report" | "silent";
    crossing?: "raw" | "confirmed" | "coreLocation";
    minAltitude?: number;
    maxAltitude?: number;
    expires?: string | number;
    speedLimit?: number | string;
  } | null;
};

export type NewRegion = NewCircle | NewCorridor | NewPolygon;

export type RegionChange = Open;

export type NewRegions = NewRegion | ({ type: "FeatureCollection"; features: NewRegion[] });

export type Given = {
  platform?: "iOS" | "iPadOS" | "macOS" | "macCatalyst" | "iPadAppOnMac" | "watchOS" | "tvOS" | "visionOS" | "visionOSCompatible";
  osVersion?: string;
  grant?: "notDetermined" | "restricted" | "denied" | "whenInUse" | "temporaryWhenInUse" | "provisionalAlways" | "always";
  alwaysRequestUsed?: boolean;
  accuracy?: "full" | "reduced" | "temporaryFull";
  lifecycle?: "foreground" | "backgroundGrace" | "backgroundRunning" | "suspended" | "terminated";
  terminatedBy?: "system" | "user" | "crash" | "reboot" | "neverLaunched";
  locationServicesEnabled?: boolean;
  backgroundAppRefresh?: "on" | "off";
  lowPowerMode?: boolean;
  unlockedSinceBoot?: boolean;
  infoPlist?: string[];
  entitlements?: string[];
  extensions?: string[];
  services?: Service[];
  sessions?: string[];
  managers?: number;
  appClip?: boolean;
  complicationOnActiveFace?: boolean;
  appEverLaunched?: boolean;
  appInstalled?: boolean;
  delegateSetAtLaunch?: boolean;
  systemAsleep?: boolean;
  pairedWatchApp?: boolean;
  maximumRegionMonitoringDistance?: number;
  locationNotifications?: number;
  reportedStatus?: "notDetermined" | "restricted" | "denied" | "authorizedAlways" | "authorizedWhenInUse" | "unknownFutureValue";
  restartsServices?: "always" | "withLaunchKey" | "never";
  monitorProfile?: "documented" | "field";
  runsOn?: "device" | "simulator";
  airplaneMode?: boolean;
  cellularEnabled?: boolean;
  bluetoothEnabled?: boolean;
  wifiEnabled?: boolean;
  restrictedBy?: "screenTime" | "management";
  offloaded?: boolean;
};

export type Service = {
  service: "standardUpdates" | "requestLocation" | "significantChange" | "visits" | "regionCircular" | "regionBeacon" | "beaconRanging" | "heading" | "clMonitorCircular" | "clMonitorBeacon" | "liveUpdates" | "locationPush" | "locationNotification";
  identifier?: string;
  notifyOnEntry?: boolean;
  notifyOnExit?: boolean;
};

export type NewApp = {
  id: string;
  name?: string;
  given?: Given;
  devices?: string[];
  services?: Service[];
};

export type ReplacedApp = {
  id?: string;
  name?: string;
  given?: Given;
  devices?: string[];
  services?: Service[];
};

export type Step = ({
  do: "createManager" | "enterBackground" | "enterForeground" | "resume" | "unlock" | "lookAway" | "install" | "uninstall" | "reboot" | "restoreBackup" | "offload" | "deviceMoves" | "systemShowsSecondPrompt" | "systemShowsReminder";
  at?: string;
}) | ({
  do: "terminate";
  at?: string;
  by?: "system" | "user" | "crash" | "reboot" | "neverLaunched";
}) | ({
  do: "launch";
  at?: string;
  by?: "user" | "system";
  cause?: "location" | "bluetooth" | "silentPush" | "backgroundRefresh" | "prewarming";
}) | ({
  do: "answer";
  at?: string;
  choice: "allow" | "allowWhileUsing" | "allowOnce" | "alwaysAllow" | "onlyWhileUsing" | "dontAllow" | "keepOnlyWhileUsing" | "changeToAlwaysAllow" | "changeToOnlyWhileUsing";
}) | ({
  do: "settings";
  at?: string;
  set: "never" | "askNextTime" | "whileUsing" | "always" | "preciseOn" | "preciseOff" | "locationServicesOff" | "locationServicesOn" | "resetLocationAndPrivacy" | "airplaneModeOn" | "airplaneModeOff" | "cellularOff" | "cellularOn" | "bluetoothOff" | "bluetoothOn" | "wifiOff" | "wifiOn" | "screenTimeRestricts" | "managementRestricts" | "restrictionEnds";
}) | ({ do: "wait"; at?: string; seconds: number }) | ({
  do: "start" | "stop";
  at?: string;
  service: "standardUpdates" | "requestLocation" | "significantChange" | "visits" | "regionCircular" | "regionBeacon" | "beaconRanging" | "heading" | "clMonitorCircular" | "clMonitorBeacon" | "liveUpdates" | "locationPush" | "locationNotification";
  identifier?: string;
}) | ({
  do: "request" | "setAllowsBackgroundLocationUpdates" | "createSession" | "endSession" | "openMonitor" | "iterate" | "requestState" | "query" | "updateApp" | "updateSystem" | "event" | "move" | "moveAcrossBoundaryWhilePoweredOff" | "deviceStationary" | "onWatch" | "appWorks" | "checkAuthorization" | "getAuthorizationStatus" | "lint";
  at?: string;
});

export type Steps = Step | Step[] | ({ steps: Step[] });

export type Question = {
  given?: Given;
  event: {
    service: "standardUpdates" | "requestLocation" | "significantChange" | "visits" | "regionCircular" | "regionBeacon" | "beaconRanging" | "heading" | "clMonitorCircular" | "clMonitorBeacon" | "liveUpdates" | "locationPush" | "locationNotification";
    kind?: "enter" | "exit" | "arrival" | "departure" | "moved" | "update" | "satisfied" | "unsatisfied" | "push";
    identifier?: string;
    at?: string;
    id?: string;
    deliveredTogether?: boolean;
    meters?: number;
    sameCoarseCell?: boolean;
    missed?: boolean;
  };
};

export type NewEndpoint = {
  id?: string;
  kind?: "webhook" | "ntfy" | "gotify" | "telegram" | "slack" | "discord" | "email" | "apprise" | "nats" | "redis" | "amqp" | "kafka";
  url?: string;
  secret?: string;
  description?: string | null;
  events?: string[] | null;
  regions?: string[] | null;
  devices?: string[] | null;
  apps?: string[] | null;
  when?: ("relaunched" | "delivered" | "queued" | "held" | "dropped" | "notMonitored" | "lost")[] | null;
  ordered?: boolean;
  format?: "standard" | "binary" | "structured" | "batch";
  batchSize?: number | null;
  precision?: number | null;
  includeLocation?: boolean;
  history?: boolean;
  corrections?: boolean;
  maximumAge?: number | null;
  token?: string | null;
  password?: string | null;
  chat?: string | number | null;
  from?: string | null;
  to?: string | string[] | null;
  username?: string | null;
  urls?: string[] | null;
  priority?: number | null;
  timeZone?: string | null;
  link?: string | null;
  units?: "metric" | "imperial" | null;
  template?: { title?: string | null; body?: string | null } | null;
  names?: { [name: string]: string } | null;
  quietHours?: string | string[] | null | ({
    timeZone?: string;
    weekly?: string[];
    except?: string[];
    from?: string;
    to?: string;
    drop?: boolean;
  });
  cooldown?: number | string | null;
  group?: number | string | null;
  subject?: string;
  stream?: string;
  routingKey?: string;
  exchange?: string | null;
  jetStream?: boolean;
  maximumLength?: number | null;
  saslMechanism?: ("PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512") | null;
};

export type EndpointPatch = {
  id?: string;
  kind?: "webhook" | "ntfy" | "gotify" | "telegram" | "slack" | "discord" | "email" | "apprise" | "nats" | "redis" | "amqp" | "kafka";
  url?: string;
  secret?: string;
  description?: string | null;
  events?: string[] | null;
  regions?: string[] | null;
  devices?: string[] | null;
  apps?: string[] | null;
  when?: ("relaunched" | "delivered" | "queued" | "held" | "dropped" | "notMonitored" | "lost")[] | null;
  ordered?: boolean;
  format?: "standard" | "binary" | "structured" | "batch";
  batchSize?: number | null;
  precision?: number | null;
  includeLocation?: boolean;
  history?: boolean;
  corrections?: boolean;
  maximumAge?: number | null;
  token?: string | null;
  password?: string | null;
  chat?: string | number | null;
  from?: string | null;
  to?: string | string[] | null;
  username?: string | null;
  urls?: string[] | null;
  priority?: number | null;
  timeZone?: string | null;
  link?: string | null;
  units?: "metric" | "imperial" | null;
  template?: { title?: string | null; body?: string | null } | null;
  names?: { [name: string]: string } | null;
  quietHours?: string | string[] | null | ({
    timeZone?: string;
    weekly?: string[];
    except?: string[];
    from?: string;
    to?: string;
    drop?: boolean;
  });
  cooldown?: number | string | null;
  group?: number | string | null;
  subject?: string;
  stream?: string;
  routingKey?: string;
  exchange?: string | null;
  jetStream?: boolean;
  maximumLength?: number | null;
  saslMechanism?: ("PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512") | null;
  state?: "active" | "disabled";
};

export type NewReportSchedule = {
  id?: string;
  name: string;
  report?: "summaries" | "trips" | "visits";
  by?: "device" | "region" | "tag" | "group";
  period?: "day" | "week" | "month";
  dayStartsAt?: string;
  deviceId?: string;
  group?: string;
  regionId?: string;
  tag?: string;
  units?: "metric" | "imperial";
  format?: "csv" | "xlsx";
  frequency: "daily" | "weekly" | "monthly";
  firstDay?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
  at?: string;
  timeZone?: string;
  endpoints: string[];
  state?: "active" | "disabled";
};

export type ReportSchedulePatch = {
  id?: string;
  name?: string;
  report?: "summaries" | "trips" | "visits";
  by?: "device" | "region" | "tag" | "group";
  period?: "day" | "week" | "month";
  dayStartsAt?: string;
  deviceId?: string;
  group?: string;
  regionId?: string;
  tag?: string;
  units?: "metric" | "imperial";
  format?: "csv" | "xlsx";
  frequency?: "daily" | "weekly" | "monthly";
  firstDay?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
  at?: string;
  timeZone?: string;
  endpoints?: string[];
  state?: "active" | "disabled";
};

export type NewSecret = { secret?: string };

export type User = {
  id: string;
  name: string;
  role: "admin" | "editor" | "viewer";
  devices?: string[];
  tags?: string[];
  timeZone?: string;
  signIn?: "provider";
  provider?: { issuer: string; subject: string };
  createdAt: string;
};

export type OwnUserChange = { timeZone: string | null };

export type NewUser = {
  name: string;
  password: string | null;
  role: "admin" | "editor" | "viewer";
  devices?: string[] | null;
  tags?: string[] | null;
  timeZone?: string | null;
};

export type UserChange = {
  name?: string;
  password?: string;
  role?: "admin" | "editor" | "viewer";
  devices?: string[] | null;
  tags?: string[] | null;
  timeZone?: string | null;
};

export type ModelContextMessage = { jsonrpc: "2.0" };

export type LogoutNotice = { logout_token: string };

export type Group = { tag: string; devices: string[] };

export type NewGroup = { devices: string[] };

export type NewSession = { user: string; password: string };

export type NewPassword = { password: string; newPassword: string };

export type Session = {
  id: string;
  user: User;
  createdAt: string;
  lastUsed: string;
  expires: string;
  client?: string;
  address?: string;
  provider?: boolean;
  isCurrent: boolean;
};

export type Access = {
  scopes: ("ingest" | "read" | "write" | "admin")[];
  isLimited: boolean;
  user?: User;
  needsFirstUser: boolean;
  timeZone?: string;
  signIn?: { provider: string; passwords: "all" | "administrators" | "none" };
  signOut?: string;
};

export type Map = {
  tiles: string;
  attribution: string;
  isChosen: boolean;
  isConfigured: boolean;
  takesFile: boolean;
  file?: { name: string; bytes: number };
};

export type NewMap = { tiles: string; attribution?: string };

export type Profile = { id: string; name?: string; color?: string; hasFace?: boolean };

export type NewProfile = { name?: string | null; color?: string | null };

export type MapUpload = { received: number };

export type SetAside = {
  kind: "device" | "import";
  id: string;
  work: "arrival" | "start" | "history" | "importing" | "standby";
  ends: number;
  since: string;
  released: boolean;
};

export type AllowedNetwork = { id: string; network: string; createdAt: string };

export type NewNetwork = { network: string };

export type Share = {
  id: string;
  name: string;
  devices: string[];
  expires: string;
  createdAt: string;
};

export type ShareWithSecret = {
  id: string;
  name: string;
  devices: string[];
  expires: string;
  createdAt: string;
  secret: string;
  path: string;
};

export type NewShare = { name?: string | null; devices: string[]; expires: string };

export type Shared = {
  name: string;
  expires: string;
  devices: {
    id: string;
    name?: string;
    color?: string;
    timestamp?: string;
    latitude?: number;
    longitude?: number;
    horizontalAccuracy?: number;
  }[];
};

export type AlertRule = {
  id: string | null;
  type: "speed" | "battery" | "accuracy" | "jump" | "unplugged" | "absent" | "present" | "silent";
  above?: number | string | null;
  tolerance?: number | string | null;
  below?: number | null;
  region?: string | null;
  by?: string | null;
  at?: string | null;
  days?: string | null;
  timeZone?: string | null;
  for: number | null;
  devices?: string | string[] | null;
  groups?: string | string[] | null;
  source: "configuration" | "api";
};

export type NewAlertRule = {
  id?: string | null;
  type: "speed" | "battery" | "accuracy" | "jump" | "unplugged" | "absent" | "present" | "silent";
  above?: number | string | null;
  tolerance?: number | string | null;
  below?: number | null;
  region?: string | null;
  by?: string | null;
  at?: string | null;
  days?: string | null;
  timeZone?: string | null;
  for?: number | null;
  devices?: string | string[] | null;
  groups?: string | string[] | null;
  source?: string;
};

export type AlertRuleChange = {
  id?: string | null;
  type?: "speed" | "battery" | "accuracy" | "jump" | "unplugged" | "absent" | "present" | "silent";
  above?: number | string | null;
  tolerance?: number | string | null;
  below?: number | null;
  region?: string | null;
  by?: string | null;
  at?: string | null;
  days?: string | null;
  timeZone?: string | null;
  for?: number | null;
  devices?: string | string[] | null;
  groups?: string | string[] | null;
  source?: string;
};

export type Proximity = {
  rule: string;
  otherDeviceId: string;
  distance: number;
  uncertainty: number;
  limit: number;
};

export type ProximityRule = {
  id: string | null;
  distance: number;
  hysteresis?: number | null;
  dwell?: number | null;
  unaccompanied?: boolean | null;
  devices?: string | string[] | null;
  groups?: string | string[] | null;
  others?: string | string[] | null;
  otherGroups?: string | string[] | null;
  hours?: string | ({ timeZone?: string; weekly: string[]; except?: string[] }) | null;
  source: "configuration" | "api";
};

export type NewProximityRule = {
  id?: string | null;
  distance: number;
  hysteresis?: number | null;
  dwell?: number | null;
  unaccompanied?: boolean | null;
  devices?: string | string[] | null;
  groups?: string | string[] | null;
  others?: string | string[] | null;
  otherGroups?: string | string[] | null;
  hours?: string | ({ timeZone?: string; weekly: string[]; except?: string[] }) | null;
  source?: string;
};

export type ProximityRuleChange = {
  id?: string | null;
  distance?: number;
  hysteresis?: number | null;
  dwell?: number | null;
  unaccompanied?: boolean | null;
  devices?: string | string[] | null;
  groups?: string | string[] | null;
  others?: string | string[] | null;
  otherGroups?: string | string[] | null;
  hours?: string | ({ timeZone?: string; weekly: string[]; except?: string[] }) | null;
  source?: string;
};

export type Broker = {
  isSet: boolean;
  isConfigured: boolean;
  origin?: string;
  mayPublish: boolean;
  settings?: BrokerSettings;
  receiving?: BrokerLink;
  publishing?: BrokerLink;
  uncleared: { broker: string; topics: number }[];
};

export type BrokerSettings = {
  host: string;
  port: number;
  tls: boolean;
  username?: string;
  passwordIsSet: boolean;
  caFile?: string;
  caCertificate?: string;
  clientId: string;
  topic: string;
  publish?: {
    prefix: string;
    events: string[];
    regions: string[];
    devices: string[];
    ownTracks: string | null;
    names: { [name: string]: string };
  };
  homeAssistant?: string;
  publishTo?: {
    host: string;
    port: number;
    tls: boolean;
    username?: string;
    passwordIsSet: boolean;
    caFile?: string;
    caCertificate?: string;
    clientId: string;
  };
};

export type BrokerLink = {
  isConnected: boolean;
  since?: string;
  messages: number;
  lastFailure?: {
    at: string;
    reason: "no_such_host" | "unreachable" | "timeout" | "tls" | "no_broker" | "refused" | "subscription_refused" | "lost" | "invalid" | "not_stored";
    detail: string;
  };
};

export type NewBroker = {
  host: string;
  port?: number | null;
  tls?: boolean | null;
  username?: string | null;
  password?: string | null;
  passwordIsSet?: boolean | null;
  clientId?: string | null;
  caCertificate?: string | null;
  topic?: string | null;
  publish?: (boolean | string | null) | ({
    prefix?: string;
    events?: string[];
    regions?: string[];
    devices?: string[];
    ownTracks?: boolean | string | null;
    names?: { [name: string]: string };
  });
  homeAssistant?: boolean | string | null;
  publishTo?: null | ({
    host: string;
    port?: number | null;
    tls?: boolean | null;
    username?: string | null;
    password?: string | null;
    passwordIsSet?: boolean | null;
    clientId?: string | null;
    caCertificate?: string | null;
  });
};

export type BrokerTest = {
  succeeded: boolean;
  broker: string;
  reason?: "no_such_host" | "unreachable" | "timeout" | "tls" | "no_broker" | "refused" | "subscription_refused" | "lost" | "invalid" | "not_stored";
  detail: string;
  duration: number;
  homeAssistant?: { devices: number; entities: number };
};

export type Fence = {
  latitude: number;
  longitude: number;
  horizontalAccuracy: number;
  radius: number;
  armedAt: string;
  armedBy: "caller" | "schedule";
  until?: string;
  owner?: string;
  distance?: number;
};

export type SentFence = {
  latitude?: number;
  longitude?: number;
  horizontalAccuracy?: number;
  radius: number;
  armedAt: string;
  armedBy: "caller" | "schedule";
  until?: string;
  owner?: string;
  distance?: number;
};

export type FenceState = {
  state: "armed" | "broken" | "waiting" | "scheduled";
  obstacle?: "no_position" | "stale" | "moving" | "inaccurate";
  latitude?: number;
  longitude?: number;
  horizontalAccuracy?: number;
  radius: number;
  armedAt?: string;
  armedBy?: "caller" | "schedule";
  until?: string;
  owner?: string;
  brokenAt?: string;
  schedule?: { timeZone: string; weekly: string[]; except?: string[] } | null;
};

export type NewFence = {
  radius?: number | null;
  owner?: string | null;
  until?: string | null;
  schedule?: { timeZone: string; weekly: string[]; except?: string[] } | null;
  now?: boolean | null;
};

export type Plan = {
  id: string | null;
  name?: string | null;
  timeZone: string | null;
  places: { region: string; from: string; to: string; stay?: number | null }[];
  ordered: boolean | null;
  grace: number | null;
  days?: string | null;
  dates?: string | string[] | null;
  except?: string | string[] | null;
  first?: string | null;
  last?: string | null;
  devices?: string | string[] | null;
  groups?: string | string[] | null;
  since: string;
};

export type NewPlan = {
  id?: string | null;
  name?: string | null;
  timeZone?: string | null;
  places: { region: string; from: string; to: string; stay?: number | null }[];
  ordered?: boolean | null;
  grace?: number | null;
  days?: string | null;
  dates?: string | string[] | null;
  except?: string | string[] | null;
  first?: string | null;
  last?: string | null;
  devices?: string | string[] | null;
  groups?: string | string[] | null;
  since?: string;
};

export type ImportedPlans = { data: Plan[]; warnings: { line: number; code: string; detail: string }[] };

export type Round = {
  planId: string;
  name?: string;
  date: string;
  deviceId: string;
  start: string;
  end: string;
  state: "upcoming" | "running" | "completed" | "cancelled";
  visited: number;
  late: number;
  missed: number;
  inOrder?: boolean;
  places: {
    place: number;
    regionId: string;
    from: string;
    to: string;
    state: "upcoming" | "open" | "visited" | "late" | "missed" | "unknown";
    time?: string;
    arrival?: string;
    confidence?: number;
    inOrder?: boolean;
    eventId?: string;
  }[];
};

export type RoundEvent = {
  id: string;
  name?: string;
  date: string;
  places: number;
  place?: number;
  from?: string;
  to?: string;
  stay?: number;
  arrival?: string;
  inOrder?: boolean;
  visited?: number;
  late?: number;
  missed?: number;
};

/** What a GET request to a path answers; `any` for a path that is not known exactly. */
export type Get<Path extends string> =
  Path extends `/v1/apps/${string}/decisions` ? { data: Decision[]; nextCursor: string | null } :
  Path extends `/v1/devices/${string}/evaluations` ? { data: Evaluation[]; nextCursor: string | null } :
  Path extends `/v1/devices/${string}/export` ? DeviceExport :
  Path extends `/v1/devices/${string}/fence` ? FenceState :
  Path extends `/v1/devices/${string}/stay-corrections` ? { data: StayCorrection[]; nextCursor: string | null } :
  Path extends `/v1/endpoints/${string}/health` ? EndpointHealth :
  Path extends `/v1/plans/${string}/rounds` ? { data: Round[]; nextCursor: string | null } :
  Path extends `/v1/regions/${string}/devices` ? { data: Device[]; nextCursor: string | null } :
  Path extends "/v1/geocode/reverse" ? GeocodedPlaces :
  Path extends "/v1/geocode/search" ? GeocodedPlaces :
  Path extends "/v1/sessions/current" ? Session :
  Path extends `/v1/alert-rules/${string}` ? AlertRule :
  Path extends `/v1/apps/${string}` ? App :
  Path extends `/v1/deliveries/${string}` ? WebhookDelivery :
  Path extends `/v1/devices/${string}` ? Device :
  Path extends `/v1/endpoints/${string}` ? Endpoint :
  Path extends `/v1/events/${string}` ? Event :
  Path extends `/v1/imports/${string}` ? ImportJob :
  Path extends `/v1/plans/${string}` ? Plan :
  Path extends `/v1/proximity-rules/${string}` ? ProximityRule :
  Path extends `/v1/regions/${string}` ? Region :
  Path extends `/v1/report-schedules/${string}` ? ReportSchedule :
  Path extends `/v1/tokens/${string}` ? Token :
  Path extends `/v1/users/${string}` ? User :
  Path extends "/v1/access" ? Access :
  Path extends "/v1/alert-rules" ? { data: AlertRule[]; nextCursor: string | null } :
  Path extends "/v1/apps" ? { data: App[]; nextCursor: string | null } :
  Path extends "/v1/cluster" ? Cluster :
  Path extends "/v1/deliveries" ? { data: WebhookDelivery[]; nextCursor: string | null } :
  Path extends "/v1/devices" ? { data: Device[]; version?: string; nextCursor: string | null } :
  Path extends "/v1/endpoints" ? { data: Endpoint[]; nextCursor: string | null } :
  Path extends "/v1/events" ? { data: Event[]; nextCursor: string | null } :
  Path extends "/v1/exports" ? Open :
  Path extends "/v1/groups" ? { data: Group[]; nextCursor: string | null } :
  Path extends "/v1/imports" ? { data: ImportJob[]; nextCursor: string | null } :
  Path extends "/v1/locations" ? { data: Location[]; nextCursor: string | null } :
  Path extends "/v1/map" ? Map :
  Path extends "/v1/mqtt" ? Broker :
  Path extends "/v1/networks" ? { data: AllowedNetwork[]; nextCursor: string | null } :
  Path extends "/v1/places" ? { data: Place[]; nextCursor: string | null } :
  Path extends "/v1/plans" ? { data: Plan[]; nextCursor: string | null } :
  Path extends "/v1/profiles" ? { data: Profile[]; nextCursor: string | null } :
  Path extends "/v1/proximity-rules" ? { data: ProximityRule[]; nextCursor: string | null } :
  Path extends "/v1/quarantine" ? { data: QuarantineEntry[]; nextCursor: string | null } :
  Path extends "/v1/regions" ? { data: Region[]; nextCursor: string | null } :
  Path extends "/v1/report-schedules" ? { data: ReportSchedule[]; nextCursor: string | null } :
  Path extends "/v1/reports" ? { data: PhoneReport[]; nextCursor: string | null } :
  Path extends "/v1/rules" ? { data: Rule[]; nextCursor: string | null } :
  Path extends "/v1/sessions" ? { data: Session[]; nextCursor: string | null } :
  Path extends "/v1/set-aside" ? { data: SetAside[]; nextCursor: string | null } :
  Path extends "/v1/shared" ? Shared :
  Path extends "/v1/shares" ? { data: Share[]; nextCursor: string | null } :
  Path extends "/v1/summaries" ? Summary :
  Path extends "/v1/timeline" ? Timeline :
  Path extends "/v1/tokens" ? { data: Token[]; nextCursor: string | null } :
  Path extends "/v1/trips" ? { data: Trip[]; nextCursor: string | null } :
  Path extends "/v1/users" ? { data: User[]; nextCursor: string | null } :
  Path extends "/v1/version" ? Version :
  Path extends "/v1/visits" ? { data: Visit[]; nextCursor: string | null } :
  Path extends "/asyncapi.json" ? Open :
  Path extends "/healthz" ? Open :
  Path extends "/openapi.json" ? Open :
  Path extends "/readyz" ? Readiness :
  any;

/** What a POST request to a path answers; `any` for a path that is not known exactly. */
export type Post<Path extends string> =
  Path extends `/v1/apps/${string}/steps` ? StepReports :
  Path extends `/v1/deliveries/${string}/retry` ? WebhookDelivery :
  Path extends `/v1/devices/${string}/evaluations` ? Evaluation :
  Path extends `/v1/devices/${string}/stay-corrections` ? StayCorrection :
  Path extends `/v1/endpoints/${string}/recover` ? { queued: number; retried: number } :
  Path extends `/v1/endpoints/${string}/rotate-secret` ? EndpointWithSecret :
  Path extends `/v1/endpoints/${string}/test` ? Attempt :
  Path extends `/v1/places/${string}/region` ? Region :
  Path extends `/v1/report-schedules/${string}/send` ? SentReport :
  Path extends "/v1/endpoints/preview" ? { messages: { type: string; title: string; body: string }[] } :
  Path extends "/v1/mqtt/test" ? BrokerTest :
  Path extends "/v1/plans/import" ? ImportedPlans :
  Path extends "/v1/quarantine/release" ? Open :
  Path extends "/v1/query/presences" ? { data: Presence[]; nextCursor: string | null } :
  Path extends "/v1/stream/tickets" ? { ticket: string; expires: string } :
  Path extends "/ingest/overland" ? { result: "ok" } :
  Path extends "/ingest/owntracks" ? Open[] :
  Path extends "/v1/alert-rules" ? AlertRule :
  Path extends "/v1/apps" ? App :
  Path extends "/v1/endpoints" ? EndpointWithSecret :
  Path extends "/v1/explain" ? Delivery :
  Path extends "/v1/imports" ? ImportReport | ImportJob :
  Path extends "/v1/locations" ? IngestReport :
  Path extends "/v1/networks" ? AllowedNetwork :
  Path extends "/v1/plans" ? Plan :
  Path extends "/v1/proximity-rules" ? ProximityRule :
  Path extends "/v1/regions" ? Region | RegionImport :
  Path extends "/v1/report-schedules" ? ReportSchedule :
  Path extends "/v1/sessions" ? Session :
  Path extends "/v1/shares" ? ShareWithSecret :
  Path extends "/v1/tokens" ? TokenWithText :
  Path extends "/v1/users" ? User :
  Path extends "/mcp" ? ModelContextMessage :
  Path extends "/pub" ? Open[] :
  any;

/** What a PUT request to a path answers; `any` for a path that is not known exactly. */
export type Put<Path extends string> =
  Path extends `/v1/devices/${string}/fence` ? FenceState :
  Path extends `/v1/devices/${string}/profile` ? Profile :
  Path extends "/v1/map/file" ? Map | MapUpload :
  Path extends `/v1/alert-rules/${string}` ? AlertRule :
  Path extends `/v1/apps/${string}` ? App :
  Path extends `/v1/endpoints/${string}` ? Endpoint | EndpointWithSecret :
  Path extends `/v1/groups/${string}` ? Group :
  Path extends `/v1/plans/${string}` ? Plan :
  Path extends `/v1/proximity-rules/${string}` ? ProximityRule :
  Path extends `/v1/regions/${string}` ? Region :
  Path extends `/v1/report-schedules/${string}` ? ReportSchedule :
  Path extends "/v1/map" ? Map :
  Path extends "/v1/mqtt" ? Broker :
  any;

/** What a PATCH request to a path answers; `any` for a path that is not known exactly. */
export type Patch<Path extends string> =
  Path extends "/v1/sessions/current/user" ? User :
  Path extends `/v1/alert-rules/${string}` ? AlertRule :
  Path extends `/v1/endpoints/${string}` ? Endpoint :
  Path extends `/v1/proximity-rules/${string}` ? ProximityRule :
  Path extends `/v1/regions/${string}` ? Region :
  Path extends `/v1/report-schedules/${string}` ? ReportSchedule :
  Path extends `/v1/users/${string}` ? User :
  any;

/** What a DELETE request to a path answers; `any` for a path that is not known exactly. */
export type Delete<Path extends string> =
  Path extends "/v1/mqtt" ? Broker :
  any;
