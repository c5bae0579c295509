/** Below this width the panel covers the map, so the time line is in the panel. The same limit is in layout.css. */
const narrow = matchMedia("(max-width: 760px)");

/** Whether the panel is a sheet over the map. */
export const isNarrow = () => narrow.matches;

/** Places content below the map, which becomes smaller; on a narrow screen, in the panel. */
export function makeDock(app, content, panelSlot) {
  const stage = document.getElementById("map-area");
  let isShown = false;
  const reserveSpace = () => {
    const height = isShown && !narrow.matches ? content.offsetHeight : 0;
    if (stage.style.getPropertyValue("--dock") === `${height}px`) return;
    stage.style.setProperty("--dock", `${height}px`);
    app.map.invalidateSize({ animate: false });
  };
  const update = () => {
    (narrow.matches ? panelSlot : stage).append(content);
    content.hidden = !isShown;
    reserveSpace();
  };
  narrow.addEventListener("change", update);
  new ResizeObserver(reserveSpace).observe(content);
  return {
    show() {
      isShown = true;
      update();
    },
    hide() {
      isShown = false;
      update();
    },
  };
}
