import { element, setChildren } from "../core/dom.js";
import { fieldLength, lengthUnit, metersOf } from "../core/units.js";
import { text } from "../text/text.js";
import { round } from "./draft.js";

const texts = text.regions.coordinates;

/**
 * The coordinates of a draft as number fields, with the same functions as the handles on the map.
 * @param {{activePath: number[]}} handles has the index of the path to which clicks on the map add vertices.
 */
export function vertexTable(draft, handles) {
  const container = element("div");
  let errors = [];
  const draw = () => {
    const focused = container.contains(document.activeElement) ? document.activeElement.id : null;
    const { kind } = draft.state;
    if (kind === "circle") setChildren(container, circleFields(draft));
    else {
      setChildren(container, kind === "corridor" && widthField(draft), pathGroups(draft, handles, errors, draw),
        adders(draft, handles));
    }
    if (focused) document.getElementById(focused)?.focus();
  };
  draft.changes.subscribe(draw);
  draw();
  return {
    element: container,
    showErrors(next) {
      errors = next;
      draw();
    },
  };
}

const numberField = (id, label, value, change, props = {}) => element("div.field", {},
  element("label", { for: id }, label),
  element("input", { id, type: "number", step: "any", value: value ?? "", ...props, onChange: (event) => {
    const number = Number(event.target.value);
    if (event.target.value !== "" && Number.isFinite(number)) change(number);
  } }));

/** A field for a length; the draft has metres. `label` is a function of the unit. */
const lengthField = (id, label, meters, change) => numberField(id, label(lengthUnit()),
  meters ? fieldLength(meters) : meters, (value) => change(metersOf(value)), { min: 0 });

function circleFields(draft) {
  const { center, radius } = draft.state;
  const [lon, lat] = center ?? [null, null];
  return [
    numberField("circle-lat", texts.latitude, lat, (value) => draft.change({ center: [lon ?? 0, value] })),
    numberField("circle-lon", texts.longitude, lon, (value) => draft.change({ center: [value, lat ?? 0] })),
    lengthField("circle-radius", texts.radius, radius, (value) => draft.change({ radius: value })),
    center && radius
      ? element("button.quiet", { type: "button", onClick: () => draft.change(draft.circleAsPolygon) },
        texts.convertToPolygon) : null,
  ];
}

const widthField = (draft) => lengthField("corridor-width", texts.totalWidth, draft.state.width,
  (value) => draft.change({ width: value }));

function pathGroups(draft, handles, errors, draw) {
  return draft.paths.map(({ pathIndex, points, isClosed }) => {
    const isActive = handles.activePath.slice(0, pathIndex.length).join() === pathIndex.join();
    const pathErrors = errors.filter((error) => error.pathIndex.join() === pathIndex.join());
    const general = pathErrors.filter((error) => error.index < 0);
    const name = nameOf(draft, pathIndex, isClosed);
    const isOpen = pathErrors.length > 0 || (points.length > 0 && points.length < 4);
    return element(`details.group${isActive ? ".active" : ""}`, { open: isOpen },
      element("summary", {},
        isClosed ? texts.corners(name, points.length) : texts.positions(name, points.length)),
      general.map((error) => element("p.field-problem", {}, error.text)),
      element("div.row", {},
        element("button.quiet", { type: "button", "aria-pressed": String(isActive), onClick: () => {
          handles.activePath = pathIndex.length === 1 ? [...pathIndex, 0] : pathIndex;
          draw();
        } }, texts.addClicksHere),
        element("button.quiet.danger", { type: "button", onClick: () => {
          handles.activePath = [0, 0];
          draft.change(draft.withoutPath(pathIndex));
        } }, texts.remove)),
      points.length ? element("table.list.vertices", {},
        element("thead", {}, element("tr", {}, ["", texts.latitude, texts.longitude, ""].map((title) =>
          element("th", { scope: "col" }, title)))),
        element("tbody", {}, points.map((point, index) =>
          vertexRow(draft, pathIndex, points, index, pathErrors.find((error) => error.index === index))))) : null);
  });
}

function nameOf(draft, [first, second], isClosed) {
  if (!isClosed) return draft.state.lines.length > 1 ? texts.lineOfSeveral(first + 1) : texts.line;
  if (draft.state.polygons.length > 1) {
    return second === 0 ? texts.outerRingOf(first + 1) : texts.holeOf(first + 1, second);
  }
  return second === 0 ? texts.outerRing : texts.hole(second);
}

function vertexRow(draft, pathIndex, points, index, error) {
  const [lon, lat] = points[index];
  const id = `vertex-${pathIndex.join("-")}-${index}`;
  const put = (position) => draft.change(draft.withPath(pathIndex, points.with(index, position)));
  const input = (suffix, label, value, change) => element("input", {
    id: `${id}-${suffix}`, type: "number", step: "any", value, "aria-label": label,
    "aria-invalid": error ? "true" : null,
    onChange: (event) => Number.isFinite(event.target.valueAsNumber) && change(event.target.valueAsNumber),
  });
  return element("tr", {}, element("th", { scope: "row" }, index + 1),
    element("td", {}, input("lat", texts.vertexLatitude(index + 1), round(lat), (value) => put([lon, value])),
      error ? element("p.field-problem", {}, error.text) : null),
    element("td", {}, input("lon", texts.vertexLongitude(index + 1), round(lon), (value) => put([value, lat]))),
    element("td", {}, element("button.quiet.icon-only", { type: "button", "aria-label": texts.removeVertex(index + 1),
      onClick: () => draft.change(draft.withPath(pathIndex, points.filter((_, i) => i !== index))) }, "×")));
}

function adders(draft, handles) {
  const { kind, polygons, lines } = draft.state;
  const add = (members, active) => {
    handles.activePath = active;
    draft.change(members);
  };
  if (kind === "corridor") {
    return element("div.row", {}, element("button.quiet", { type: "button",
      onClick: () => add({ lines: [...lines, []] }, [lines.length, 0]) }, texts.addLine));
  }
  const [p] = handles.activePath;
  const owner = polygons[p] ? p : 0;
  return element("div.row", {},
    element("button.quiet", { type: "button", onClick: () => add({
      polygons: polygons.map((rings, i) => (i === owner ? [...rings, []] : rings)),
    }, [owner, polygons[owner].length]) }, texts.addHole),
    element("button.quiet", {
      type: "button", onClick: () => add({ polygons: [...polygons, [[]]] }, [polygons.length, 0]),
    }, texts.addPolygon));
}


