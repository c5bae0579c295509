import { fill, h } from "../core/dom.js";

/**
 * The shape in numbers: what can be done with handles on the map can be done here by typing.
 * @param {{active: number[]}} handles which path clicks on the map add to.
 */
export function vertexTable(draft, handles) {
  const element = h("div");
  let faults = [];
  const draw = () => {
    const focused = element.contains(document.activeElement) ? document.activeElement.id : null;
    const { kind } = draft.state;
    if (kind === "circle") fill(element, circleFields(draft));
    else {
      fill(element, kind === "corridor" && widthField(draft), paths(draft, handles, faults, draw),
        adders(draft, handles));
    }
    if (focused) document.getElementById(focused)?.focus();
  };
  draft.changes.follow(draw);
  draw();
  return {
    element,
    mark(next) {
      faults = next;
      draw();
    },
  };
}

const numberField = (id, label, value, change, props = {}) => h("div.field", {},
  h("label", { for: id }, label),
  h("input", { id, type: "number", step: "any", value: value ?? "", ...props, onChange: (event) => {
    const number = Number(event.target.value);
    if (event.target.value !== "" && Number.isFinite(number)) change(number);
  } }));

function circleFields(draft) {
  const { center, radius } = draft.state;
  const [lon, lat] = center ?? [null, null];
  return [
    numberField("circle-lat", "Latitude", lat, (value) => draft.change({ center: [lon ?? 0, value] })),
    numberField("circle-lon", "Longitude", lon, (value) => draft.change({ center: [value, lat ?? 0] })),
    numberField("circle-radius", "Radius, metres", radius, (value) => draft.change({ radius: value }), { min: 0 }),
    center && radius
      ? h("button.quiet", { type: "button", onClick: () => draft.change(draft.asPolygon) }, "Make it a polygon") : null,
  ];
}

const widthField = (draft) => numberField("corridor-width", "Width, metres: half of it to each side", draft.state.width,
  (value) => draft.change({ width: value }), { min: 0 });

function paths(draft, handles, faults, draw) {
  return draft.paths.map(({ at, points, isClosed }) => {
    const isActive = handles.active.slice(0, at.length).join() === at.join();
    const own = faults.filter((fault) => fault.at.join() === at.join());
    const whole = own.filter((fault) => fault.index < 0);
    const isOpen = own.length > 0 || (points.length > 0 && points.length < 4);
    return h(`details.group${isActive ? ".active" : ""}`, { open: isOpen },
      h("summary", {}, `${nameOf(draft, at, isClosed)}: ${points.length} ${isClosed ? "corners" : "positions"}`),
      whole.map((fault) => h("p.field-problem", {}, fault.text)),
      h("div.row", {},
        h("button.quiet", { type: "button", "aria-pressed": String(isActive), onClick: () => {
          handles.active = at.length === 1 ? [...at, 0] : at;
          draw();
        } }, "Clicks add here"),
        h("button.quiet.danger", { type: "button", onClick: () => {
          handles.active = [0, 0];
          draft.change(draft.without(at));
        } }, "Remove")),
      points.length ? h("table.list.vertices", {},
        h("thead", {}, h("tr", {}, ["", "Latitude", "Longitude", ""].map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, points.map((point, index) =>
          vertexRow(draft, at, points, index, own.find((fault) => fault.index === index))))) : null);
  });
}

function nameOf(draft, [first, second], isClosed) {
  if (!isClosed) return draft.state.lines.length > 1 ? `Line ${first + 1}` : "Line";
  const polygon = draft.state.polygons.length > 1 ? `Polygon ${first + 1}, ` : "";
  return second === 0 ? `${polygon}outer ring` : `${polygon}hole ${second}`;
}

function vertexRow(draft, at, points, index, fault) {
  const [lon, lat] = points[index];
  const id = `vertex-${at.join("-")}-${index}`;
  const put = (place) => draft.change(draft.with(at, points.map((old, i) => (i === index ? place : old))));
  const input = (suffix, label, value, change) => h("input", {
    id: `${id}-${suffix}`, type: "number", step: "any", value, "aria-label": `${label} of vertex ${index + 1}`,
    "aria-invalid": fault ? "true" : null,
    onChange: (event) => Number.isFinite(event.target.valueAsNumber) && change(event.target.valueAsNumber),
  });
  return h("tr", {}, h("th", { scope: "row" }, index + 1),
    h("td", {}, input("lat", "Latitude", round(lat), (value) => put([lon, value])),
      fault ? h("p.field-problem", {}, fault.text) : null),
    h("td", {}, input("lon", "Longitude", round(lon), (value) => put([value, lat]))),
    h("td", {}, h("button.quiet.icon-only", { type: "button", "aria-label": `Remove vertex ${index + 1}`,
      onClick: () => draft.change(draft.with(at, points.filter((_, i) => i !== index))) }, "×")));
}

function adders(draft, handles) {
  const { kind, polygons, lines } = draft.state;
  const add = (members, active) => {
    handles.active = active;
    draft.change(members);
  };
  if (kind === "corridor") {
    return h("div.row", {}, h("button.quiet", { type: "button",
      onClick: () => add({ lines: [...lines, []] }, [lines.length, 0]) }, "Add a line"));
  }
  const [p] = handles.active;
  const owner = polygons[p] ? p : 0;
  return h("div.row", {},
    h("button.quiet", { type: "button", onClick: () => add({
      polygons: polygons.map((rings, i) => (i === owner ? [...rings, []] : rings)),
    }, [owner, polygons[owner].length]) }, "Add a hole"),
    h("button.quiet", { type: "button", onClick: () => add({ polygons: [...polygons, [[]]] }, [polygons.length, 0]) },
      "Add a polygon"));
}

const round = (degrees) => Math.round(degrees * 1e7) / 1e7;
