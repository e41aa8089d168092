// A text as a QR code: one path, a unit a square.
import { encode } from 'uqr';

export interface QrDrawing {
  /** Units a side, with the quiet zone that readers need. */
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
