/** Below this width the panel lies over the map, so that the time line has to be in the panel; as in layout.css. */
const narrow = matchMedia("(max-width: 760px)");

/** Puts something below the map, which makes room for it, or into the panel where there is no room beside. */
export function makeDock(app, element, home) {
  const stage = document.getElementById("stage");
  let isShown = false;
  const fit = () => {
    const height = isShown && !narrow.matches ? element.offsetHeight : 0;
    if (stage.style.getPropertyValue("--dock") === `${height}px`) return;
    stage.style.setProperty("--dock", `${height}px`);
    app.map.invalidateSize({ animate: false });
  };
  const settle = () => {
    (narrow.matches ? home : stage).append(element);
    element.hidden = !isShown;
    fit();
  };
  narrow.addEventListener("change", settle);
  new ResizeObserver(fit).observe(element);
  return {
    show() {
      isShown = true;
      settle();
    },
    hide() {
      isShown = false;
      settle();
    },
  };
}
