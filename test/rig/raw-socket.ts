// Writes bytes to the server as they are and reads one answer: for targets and garbage that no HTTP client sends.
import { connect } from 'node:net';
import { parseObject } from './http-client.ts';
import { mostResent, note } from './notes.ts';

export interface RawAnswer {
  /** 0 where the server closed the connection without a word. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** All bytes, head included. */
  readonly raw: string;
  /** Whether the server closed the connection after it. */
  readonly closed: boolean;
}

const quietMilliseconds = 120_000;

/**
 * Resolves at the end of the first answer; where that says `connection: close` or more answers are awaited, once
 * the server has closed.
 */
export async function sendRaw(
  port: number,
  bytes: string | Buffer,
  { untilClosed = false } = {},
): Promise<RawAnswer> {
  for (let tries = 1; ; tries += 1) {
    const startedAt = performance.now();
    const answer = await sendOnce(port, bytes, untilClosed);
    const isLate = performance.now() - startedAt >= patienceMilliseconds;
    const isAnswered = answer.raw !== '';
    if (tries > 1 && isAnswered)
      note('retried', 'raw bytes on a connection that the server had closed', mostResent);
    if (isAnswered || !isLate || tries === mostTries) return answer;
  }
}

/** How long a server waits for a request on a new connection: one that came later was not read. */
const patienceMilliseconds = 5000;
const mostTries = 3;

function sendOnce(port: number, bytes: string | Buffer, untilClosed: boolean): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  let raw = '';
  socket
    .setEncoding('latin1')
    .setTimeout(quietMilliseconds, () => {
      socket.destroy(new Error(`No answer to ${JSON.stringify(String(bytes).slice(0, 80))}; got ${raw}`));
    })
    .on('data', (part) => {
      raw += part;
      const answer = parseAnswer(raw, false);
      if (untilClosed || answer === undefined || answer.headers.connection === 'close') return;
      resolve(answer);
      socket.destroy();
    })
    .on('end', () => {
      resolve(parseAnswer(raw, true) ?? { status: 0, headers: {}, text: '', body: {}, raw, closed: true });
      socket.end();
    })
    .on('error', (error: NodeJS.ErrnoException) => {
      // A server that closes before it has read all that was sent resets the connection behind its answer.
      const answer = /^(ECONNRESET|EPIPE)$/.test(error.code ?? '') ? parseAnswer(raw, true) : undefined;
      if (answer === undefined) reject(error);
      else resolve(answer);
    });
  return promise;
}

/** Undefined until the answer is complete, by its Content-Length or its last chunk. */
function parseAnswer(raw: string, closed: boolean): RawAnswer | undefined {
  const end = raw.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = raw.slice(0, end).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const rest = raw.slice(end + 4);
  if (status >= 100 && status < 200) return parseAnswer(rest, closed);
  const headers = Object.fromEntries(lines.map(parseHeader));
  const content =
    headers['transfer-encoding'] === 'chunked'
      ? joinChunks(rest)
      : cut(rest, Number(headers['content-length']));
  if (content === undefined) return undefined;
  const text = Buffer.from(content, 'latin1').toString('utf8');
  return { status, headers, text, body: parseObject(text), raw, closed };
}

function parseHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function joinChunks(rest: string): string | undefined {
  const mark = rest.indexOf('\r\n');
  const length = mark === -1 ? Number.NaN : Number.parseInt(rest.slice(0, mark), 16);
  if (Number.isNaN(length)) return undefined;
  if (length === 0) return '';
  const further = joinChunks(rest.slice(mark + 2 + length + 2));
  return further === undefined ? undefined : rest.slice(mark + 2, mark + 2 + length) + further;
}

function cut(rest: string, length: number): string | undefined {
  if (rest.length < length) return undefined;
  return Number.isNaN(length) ? rest : rest.slice(0, length);
}
