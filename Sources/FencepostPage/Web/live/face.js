// Pictures of devices.

import { element } from "../core/dom.js";
import { profiles } from "../core/profiles.js";
import { text } from "../text/text.js";

/** Pixels of a side of a stored picture, as the OwnTracks apps recommend. */
const side = 192;

/** The picture of a device, hidden while there is none. `show(id)` shows that of another device, or a new one. */
export function faceView() {
  const canvas = element("canvas.face", { width: side, height: side, role: "img", hidden: true });
  let shown = null;
  return {
    element: canvas,
    async show(id) {
      const wanted = profiles.hasFace(id) ? `${id} ${profiles.versionOf(id)}` : null;
      if (wanted === shown) return;
      shown = wanted;
      canvas.hidden = true;
      if (wanted === null) return;
      const picture = await profiles.face(id).catch(() => null);
      if (!picture || shown !== wanted) return;
      canvas.setAttribute("aria-label", text.live.profile.pictureOf(profiles.nameOf(id)));
      drawSquare(canvas, picture);
      canvas.hidden = false;
    },
  };
}

/**
 * The middle of an image, as a small JPEG file.
 * @param {File} file an image in any format that the browser reads.
 * @throws {Error} when it is no image.
 */
export async function squarePicture(file) {
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error(text.live.profile.noPicture(file.name));
  });
  const canvas = element("canvas", { width: side, height: side });
  drawSquare(canvas, picture);
  return new Promise((done) => {
    canvas.toBlob(done, "image/jpeg", 0.85);
  });
}

function drawSquare(canvas, picture) {
  const length = Math.min(picture.width, picture.height);
  const context = canvas.getContext("2d");
  // JPEG has no transparency.
  context.fillStyle = "white";
  context.fillRect(0, 0, side, side);
  const [left, top] = [(picture.width - length) / 2, (picture.height - length) / 2];
  context.drawImage(picture, left, top, length, length, 0, 0, side, side);
}
