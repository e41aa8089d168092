// Draws a text as a QR code: one SVG path with one unit per module.
import { encode } from 'uqr';

export interface QrDrawing {
  /** The units per side, including the quiet zone that scanners need. */
  readonly size: number;
  readonly path: string;
}

const quietZone = 4;

export function drawQr(text: string): QrDrawing {
  const { size, data } = encode(text, { ecc: 'M', border: quietZone });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return { size, path };
}
