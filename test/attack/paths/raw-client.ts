// Sends many requests as the bytes they are: over a few connections that stay open, one request at a time each, so
// that no answer can be taken for another's. A connection that the server closes is replaced.
import { connect, type Socket } from 'node:net';
import { mostResent, note } from '../../rig/notes.ts';

export interface ShortAnswer {
  /** 0 where the server closed without a word. */
  readonly status: number;
  /** `code` of the body. */
  readonly code: number;
  /** X-Auth-Reason, or nothing. */
  readonly reason: string;
  readonly text: string;
}

const connections = 16;
/** How long a server waits for a request: one that came later was not read, and is sent again. */
const patienceMilliseconds = 5000;
const mostTries = 3;
const quietMilliseconds = 120_000;
const closedWithoutAWord: ShortAnswer = { status: 0, code: 0, reason: '', text: '' };

/** The answers, in the order of the requests. */
export async function sendAll(port: number, requests: readonly Buffer[]): Promise<ShortAnswer[]> {
  const answers: ShortAnswer[] = new Array(requests.length);
  let next = 0;
  async function work(): Promise<void> {
    const line = new Line(port);
    for (let index = next++; index < requests.length; index = next++)
      answers[index] = await line.send(requests[index] ?? Buffer.alloc(0));
    line.close();
  }
  await Promise.all(Array.from({ length: Math.min(connections, requests.length) }, work));
  return answers;
}

/** One connection after the other. */
class Line {
  readonly #port: number;
  #socket: Socket | undefined;
  #received = '';
  #isHead = false;
  #settle: ((answer: ShortAnswer | Error) => void) | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  #tries = 0;
  /** When this connection was opened, or had its last answer. */
  #idleSince = 0;

  constructor(port: number) {
    this.#port = port;
  }

  send(bytes: Buffer): Promise<ShortAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ShortAnswer>();
    this.#settle = (result) => (result instanceof Error ? reject(result) : resolve(result));
    this.#isHead = String(bytes.subarray(0, 5)) === 'HEAD ';
    this.#bytes = bytes;
    this.#tries = 0;
    this.#write();
    return promise;
  }

  #write(): void {
    this.#tries += 1;
    this.#socket ??= this.#open(this.#bytes);
    this.#socket.write(this.#bytes);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(bytes: Buffer): Socket {
    this.#idleSince = performance.now();
    const socket = connect(this.#port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    const isCurrent = () => this.#socket === socket;
    socket
      .setTimeout(quietMilliseconds, () =>
        this.#end(new Error(`No answer after ${JSON.stringify(String(bytes).slice(0, 200))}.`)),
      )
      .on('data', (part) => isCurrent() && this.#receive(String(part)))
      .on('error', () => {})
      .on('close', () => isCurrent() && this.#close());
    return socket;
  }

  #close(): void {
    const isLate = performance.now() - this.#idleSince >= patienceMilliseconds;
    const isUnread = this.#settle !== undefined && this.#received === '' && isLate;
    if (!isUnread || this.#tries === mostTries) {
      this.#end(closedWithoutAWord);
      return;
    }
    note('retried', 'bytes on a connection that the server had closed unread', mostResent);
    this.#socket = undefined;
    this.#write();
  }

  #receive(part: string): void {
    this.#received += part;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#received.slice(0, end);
    const rest = this.#received.slice(end + 4);
    const content = this.#isHead ? { text: '', length: 0 } : readContent(head, rest);
    if (content === undefined) return;
    if (rest.length !== content.length || this.#settle === undefined)
      this.#end(new Error(`More bytes than one answer has:\n${this.#received}`));
    else this.#answer(head, content.text);
  }

  #answer(head: string, text: string): void {
    this.#received = '';
    const answer = {
      status: Number(head.slice(9, 12)),
      code: Number(/"code":(\d+)/.exec(text)?.[1] ?? 0),
      reason: /\r\nx-auth-reason: (\w+)/i.exec(head)?.[1] ?? '',
      text,
    };
    this.#idleSince = performance.now();
    if (/\r\nconnection: close/i.test(head)) this.#end(answer);
    else this.#tell(answer);
  }

  #end(result: ShortAnswer | Error): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#received = '';
    socket?.destroy();
    this.#tell(result);
  }

  #tell(result: ShortAnswer | Error): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(result);
  }
}

/** Undefined until it is complete, by its length or its last chunk. */
function readContent(head: string, rest: string): { text: string; length: number } | undefined {
  const stated = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (stated !== undefined) {
    const length = Number(stated);
    return rest.length < length ? undefined : { text: rest.slice(0, length), length };
  }
  let text = '';
  for (let at = 0; ; ) {
    const mark = rest.indexOf('\r\n', at);
    if (mark === -1) return undefined;
    const size = Number.parseInt(rest.slice(at, mark), 16);
    const next = mark + 2 + size + 2;
    if (rest.length < next) return undefined;
    if (size === 0) return { text, length: next };
    text += rest.slice(mark + 2, mark + 2 + size);
    at = next;
  }
}
