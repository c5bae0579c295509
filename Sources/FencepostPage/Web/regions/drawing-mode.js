/** Lets clicks on the map draw. @param {string|null} hidden the region that is not drawn meanwhile. */
export function beginDrawing({ map, mapView }, handles, hidden = null) {
  mapView.onMapClick = (position) => handles.click(position);
  mapView.regionLayer.hidden = hidden;
  mapView.regionLayer.redraw();
  map.getContainer().classList.add("drawing");
  map.doubleClickZoom.disable();
}

/** Ends the drawing. */
export function endDrawing({ map, mapView }) {
  mapView.onMapClick = null;
  mapView.regionLayer.hidden = null;
  mapView.regionLayer.redraw();
  map.getContainer().classList.remove("drawing");
  map.doubleClickZoom.enable();
}
