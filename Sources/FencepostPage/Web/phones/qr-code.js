import { svgElement } from "../core/dom.js";
import qrcode from "../qrcode/qrcode.js";

/** The light margin around a QR code, in modules (ISO/IEC 18004). */
const margin = 4;

/** A QR code of a text, dark on light in both themes. */
export function qrCode(text, label) {
  // Type 0 is the smallest that has room; M restores 15 %.
  const code = qrcode(0, "M");
  code.addData(text, "Byte");
  code.make();
  const count = code.getModuleCount();
  const size = count + 2 * margin;
  let path = "";
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (code.isDark(row, column)) path += `M${column + margin} ${row + margin}h1v1h-1z`;
    }
  }
  return svgElement("svg", { class: "qr-code", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label },
    svgElement("rect", { class: "qr-light", width: size, height: size }),
    svgElement("path", { class: "qr-dark", d: path }));
}
