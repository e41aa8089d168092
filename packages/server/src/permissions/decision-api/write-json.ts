// Writes the JSON answers of the decision listener.
import type { ServerResponse } from 'node:http';

export function writeJson(
  response: ServerResponse,
  status: number,
  content: object,
  headers: readonly string[] = [],
): void {
  const body = JSON.stringify(content);
  response
    .writeHead(status, [
      ...['Content-Type', 'application/json'],
      ...['Content-Length', String(Buffer.byteLength(body))],
      ...['Cache-Control', 'no-store'],
      ...headers,
    ])
    .end(body);
}
