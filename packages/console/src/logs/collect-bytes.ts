// Downloads a file into memory until it is complete, so that a partial log is never saved as a whole one.
import { ClientError } from '@portcullis/client';

export async function collectBytes(
  response: Response,
  onBytes: (received: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) break;
      pieces.push(piece.value);
      received += piece.value.byteLength;
      onBytes(received);
    }
  } catch (cause) {
    throw new ClientError(signal.aborted ? 'aborted' : 'network', { cause });
  }
  return new Blob(pieces, { type: response.headers.get('content-type') ?? 'text/csv' });
}

/** `1.5 MB`: decimal units, like file managers. */
export function formatBytes(bytes: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: power === 0 ? 'narrow' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  }).format(bytes / 1000 ** power);
}
