// Attempts over kept connections, one at a time on each, as fast as they are answered. Nothing is ever sent twice: what
// a killed instance did not answer stays unanswered.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../fuzz/random.ts';
import type { Latency } from '../latency.ts';
import { type Answered, type AttemptBook, agentOf } from './attempt-book.ts';
import {
  type AttemptKind,
  createRequest,
  pickKind,
  type Sent,
  type Telling,
  tellings,
} from './attempt-kinds.ts';

/** Where a lane sends to. The port is undefined while the instance is down. */
export interface Target {
  readonly port: number | undefined;
  readonly captchaRequired: boolean;
}

/** Where a captcha is required every attempt is cheap; as many lanes would drown the others. */
const fewerWithCaptcha = 12;

export interface LoginLoad {
  /** Answers that no attempt may get. */
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

interface LoadOptions {
  readonly targets: readonly Target[];
  readonly lanesPerTarget: number;
  readonly book: AttemptBook;
  readonly seed: number;
  /** In the place of the usual mixture. */
  readonly kinds?: readonly AttemptKind[];
  /** Between two attempts of a lane. */
  readonly pauseMilliseconds?: number;
  /** How long an answer takes, by what it tells. */
  readonly latency?: (told: Telling) => Latency | undefined;
}

const reconnectMilliseconds = 20;

export function startLoginLoad(options: LoadOptions): LoginLoad {
  const { targets, lanesPerTarget, book, kinds, pauseMilliseconds = 0 } = options;
  const failures: string[] = [];
  const sockets = new Set<Socket>();
  let isOn = true;

  async function runLane(target: Target, random: Random): Promise<void> {
    while (isOn) {
      const { port } = target;
      const line = port === undefined ? undefined : await openConnection(port, sockets);
      if (line === undefined) await sleep(reconnectMilliseconds);
      else await useLine(line, target, random);
    }
  }

  /** Until the connection ends. */
  async function useLine(line: Line, { captchaRequired }: Target, random: Random): Promise<void> {
    let token: string | undefined;
    while (isOn && !line.hasEnded) {
      const picked = kinds === undefined ? pickKind(random, captchaRequired) : random.pick(kinds);
      const kind = picked === 'logout' && token === undefined ? 'params-invalid' : picked;
      const number = book.open(kind);
      const startedAt = performance.now();
      const answer = await line.send(bytesOf(createRequest(kind, number, random, token), number));
      if (answer === undefined) return;
      if (kind === 'logout') token = undefined;
      token = answer.token ?? token;
      const told = tellingOf(answer);
      // A logout that was refused is no attempt.
      if (kind === 'logout' && told !== 'ok') continue;
      if (told === undefined) failures.push(`${kind} was answered ${answer.status} ${answer.reason}`);
      else {
        book.close(number, { requestId: answer.requestId, told } satisfies Answered);
        options.latency?.(told)?.add(performance.now() - startedAt);
      }
      if (pauseMilliseconds > 0) await sleep(pauseMilliseconds);
    }
  }

  const lanes = targets.flatMap((target, place) =>
    Array.from(
      { length: Math.ceil(lanesPerTarget / (target.captchaRequired ? fewerWithCaptcha : 1)) },
      (_, lane) => runLane(target, new Random(options.seed * 1_000_003 + place * 1009 + lane)),
    ),
  );
  return {
    failures,
    async stop() {
      isOn = false;
      await Promise.all(lanes);
      for (const socket of sockets) socket.destroy();
    },
  };
}

function bytesOf({ path, network, token, body }: Sent, number: number): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: rig',
    `User-Agent: ${agentOf(number)}`,
    `X-Forwarded-For: ${network}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === '' ? [] : ['Content-Type: application/json']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    `\r\n${body}`,
  ].join('\r\n');
}

interface LineAnswer {
  readonly status: number;
  readonly reason: string | undefined;
  readonly requestId: string;
  readonly token: string | undefined;
}

function tellingOf({ status, reason }: LineAnswer): Telling | undefined {
  if (reason === undefined) return status === 200 ? 'ok' : undefined;
  return tellings.find((told) => told === reason);
}

interface Line {
  readonly hasEnded: boolean;
  /** Undefined where the connection ends before the answer is complete. */
  send(bytes: string): Promise<LineAnswer | undefined>;
}

/** Undefined without a listener. */
async function openConnection(port: number, sockets: Set<Socket>): Promise<Line | undefined> {
  const opened = Promise.withResolvers<boolean>();
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => opened.resolve(true));
  sockets.add(socket);
  let hasEnded = false;
  let received = '';
  let resolve: (answer: LineAnswer | undefined) => void = () => {};
  socket
    .setEncoding('utf8')
    .on('data', (part: string) => {
      received += part;
      const answer = readAnswer(received);
      if (answer === undefined) return;
      received = '';
      resolve(answer);
    })
    .on('error', () => {})
    .on('close', () => {
      hasEnded = true;
      sockets.delete(socket);
      opened.resolve(false);
      resolve(undefined);
    });
  if (!(await opened.promise)) return undefined;
  return {
    get hasEnded() {
      return hasEnded;
    },
    send(bytes) {
      if (hasEnded) return Promise.resolve(undefined);
      const answered = Promise.withResolvers<LineAnswer | undefined>();
      resolve = answered.resolve;
      socket.write(bytes);
      return answered.promise;
    },
  };
}

/** Undefined until it is complete. */
function readAnswer(received: string): LineAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = received.slice(0, end + 2);
  const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1]);
  const content = received.slice(end + 4);
  if (Buffer.byteLength(content) < length) return undefined;
  return {
    status: Number(head.slice(9, 12)),
    reason: /\r\nx-auth-reason: (.*?)\r\n/i.exec(head)?.[1],
    requestId: /\r\nx-request-id: (.*?)\r\n/i.exec(head)?.[1] ?? '',
    token: /"token":"([^"]+)"/.exec(content)?.[1],
  };
}
