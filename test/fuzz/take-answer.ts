// Cuts one HTTP answer off the bytes that a connection has brought so far.
import { parseObject } from '../rig/http-client.ts';

export interface WireAnswer {
  /** 0 where the server closed without a word, several times. */
  readonly status: number;
  /** Of X-Auth-Reason. */
  readonly reason: string | undefined;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Taken {
  readonly answer: WireAnswer;
  readonly length: number;
  readonly closes: boolean;
}

interface Reading {
  /** The answer to HEAD has no body, whatever its length says. */
  readonly isHead: boolean;
  /** Nothing more will come. */
  readonly hasEnded: boolean;
}

/** Undefined until the answer is complete. */
export function takeAnswer(received: string, reading: Reading, skipped = 0): Taken | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = received.slice(0, end + 2);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0);
  if (status >= 100 && status < 200) return takeAnswer(received.slice(end + 4), reading, skipped + end + 4);
  const content = reading.isHead
    ? { text: '', length: 0 }
    : takeContent(received, end + 4, head, reading.hasEnded);
  if (content === undefined) return undefined;
  const { text, length } = content;
  return {
    answer: { status, reason: headerOf(head, 'x-auth-reason'), text, body: parseObject(text) },
    length: skipped + end + 4 + length,
    closes: headerOf(head, 'connection')?.toLowerCase() === 'close',
  };
}

function takeContent(
  received: string,
  from: number,
  head: string,
  hasEnded: boolean,
): { text: string; length: number } | undefined {
  if (headerOf(head, 'transfer-encoding') === 'chunked') return takeChunks(received, from);
  const told = headerOf(head, 'content-length');
  // To a client of HTTP/1.0 the end of the connection is the end of the answer.
  if (told === undefined && !hasEnded) return undefined;
  const length = told === undefined ? received.length - from : Number(told);
  return received.length >= from + length ? { text: received.slice(from, from + length), length } : undefined;
}

function takeChunks(received: string, from: number): { text: string; length: number } | undefined {
  let text = '';
  for (let at = from; ; ) {
    const mark = received.indexOf('\r\n', at);
    if (mark === -1) return undefined;
    const size = Number.parseInt(received.slice(at, mark), 16);
    at = mark + 2 + size + 2;
    if (Number.isNaN(size) || received.length < at) return undefined;
    if (size === 0) return { text, length: at - from };
    text += received.slice(mark + 2, mark + 2 + size);
  }
}

type Name = 'connection' | 'content-length' | 'transfer-encoding' | 'x-auth-reason';

const lines = {
  connection: /\r\nconnection: (.*?)\r\n/i,
  'content-length': /\r\ncontent-length: (.*?)\r\n/i,
  'transfer-encoding': /\r\ntransfer-encoding: (.*?)\r\n/i,
  'x-auth-reason': /\r\nx-auth-reason: (.*?)\r\n/i,
} satisfies Record<Name, RegExp>;

function headerOf(head: string, name: Name): string | undefined {
  return lines[name].exec(head)?.[1];
}
