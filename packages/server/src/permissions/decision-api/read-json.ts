// Reads the JSON body of a request, with a size limit. The listener's request timeout ends a slowly sent body.
import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../base/values/is-record.ts';
import { ServiceError } from './service-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export async function readJson(request: IncomingMessage, limitBytes: number): Promise<JsonObject> {
  if (!/^application\/json[ \t]*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new ServiceError(415, 'Send the body as application/json.');
  const value = parse(await readBytes(request, limitBytes));
  if (!isRecord(value)) throw new ServiceError(400, 'The body is not a JSON object.');
  return value;
}

function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let chunks: Buffer[] = [];
  let length = 0;
  request
    .on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      // Read and discard the rest, so that the connection stays usable.
      chunks = [];
      reject(new ServiceError(413, `The body is larger than ${limitBytes} bytes.`));
    })
    .once('end', () => resolve(Buffer.concat(chunks)))
    .once('error', () => reject(new ServiceError(400, 'The body ended too early.')));
  return promise;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ServiceError(400, 'The body is not JSON in UTF-8.');
  }
}
