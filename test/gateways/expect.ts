// The expected answer to a browser, and the request that is allowed to reach the guarded service, for one request through a gateway.
import assert from 'node:assert/strict';
import { type ErrorKind, errorTable } from '@portcullis/contract';
import { type Answer, createHttpClient, type Request } from '../rig/http-client.ts';
import { isJudged } from '../rig/judges-times.ts';
import { mostResent, note } from '../rig/notes.ts';
import { roles, type Username, users } from '../rig/seed.ts';
import type { Gateway } from './gateway.ts';
import { foldHeaders, type Reached, upstreamAnswer } from './upstream.ts';
import type { World } from './world.ts';

export interface Scene {
  readonly world: World;
  readonly gateway: Gateway;
}

interface Sent {
  readonly answer: Answer;
  readonly reached: readonly Reached[];
}

/** How often a request is sent that only a stalled machine can have refused. */
const mostTries = 10;

/**
 * Whether a request is sent again; the closing line counts those that this gave another answer. A recipe waits for two seconds:
 * where the machine stood still for so long, the gateway is unavailable for a moment. What reached the service counts each time.
 */
export function isSentAgain(tries: number, status: number, reached: readonly Reached[]): boolean {
  const isUnavailable = [408, 502, 503, 504].includes(status) && reached.length === 0;
  if (tries > 1 && !isUnavailable)
    note('retried', 'a request that a gateway answered with 408, 502, 503 or 504', mostResent);
  return isUnavailable && tries < mostTries;
}

export async function send(scene: Scene, request: Request): Promise<Sent> {
  for (let tries = 1; ; tries += 1) {
    const sent = await sendOnce(scene, request);
    if (!isSentAgain(tries, sent.answer.status, sent.reached)) return sent;
  }
}

async function sendOnce({ world, gateway }: Scene, request: Request): Promise<Sent> {
  const client = createHttpClient(gateway.port, { remembers: false, resends: true });
  const before = world.upstream.reached.length;
  try {
    const answer = await client.send(request);
    return { answer, reached: world.upstream.reached.slice(before) };
  } finally {
    client.close();
  }
}

export async function expectAllowed(scene: Scene, request: Request, username: Username): Promise<Reached> {
  const { answer, reached } = await send(scene, request);
  const [first] = reached;
  assert.ok(first, `did not reach the service: HTTP ${answer.status} ${answer.text}`);
  assert.equal(reached.length, 1, 'requests that reached the service');
  assert.equal(first.method, request.method ?? 'GET');
  assert.equal(first.target, withoutToken(request.path));
  expectNoToken(first);
  assert.equal(first.body, request.body === undefined ? '' : JSON.stringify(request.body));
  assert.equal(answer.status, 200);
  assert.equal(answer.text, upstreamAnswer);
  expectIdentity(first, username);
  const requestId = foldHeaders(first).find(([name]) => name === 'X_REQUEST_ID')?.[1];
  assert.equal(answer.headers['x-request-id'], requestId, 'X-Request-Id of the browser and of the service');
  return first;
}

const withoutToken = (path: string) => path.replace(/&token=[^&]*|(?<=\?)token=[^&]*&|\?token=[^&]*$/g, '');

/** The service gets no credential for Portcullis. */
export function expectNoToken(reached: Reached): void {
  assert.doesNotMatch(JSON.stringify(reached), /authorization|eyJ/i, 'a token that reached the service');
}

/** Exactly the five headers, whichever way the service reads names, and nothing that leads it elsewhere. */
export function expectIdentity(reached: Reached, username: Username): void {
  const userId = users.findIndex((user) => user.username === username) + 1;
  const roleId = roles.findIndex(({ key }) => key === users[userId - 1]?.role) + 1;
  const role = roles[roleId - 1];
  const folded = foldHeaders(reached);
  assert.deepEqual(folded.filter(([name]) => name.includes('PORTCULLIS')).sort(), [
    ['X_PORTCULLIS_DATA_SCOPE', role?.dataScope],
    ['X_PORTCULLIS_ROLE_ID', String(roleId)],
    ['X_PORTCULLIS_ROLE_KEY', role?.key],
    ['X_PORTCULLIS_USERNAME', username],
    ['X_PORTCULLIS_USER_ID', String(userId)],
  ]);
  const leading = folded.filter(([name]) =>
    /METHOD|ORIGINAL_UR|REWRITE_URL|FORWARDED_(URI|PATH|PREFIX)/.test(name),
  );
  assert.deepEqual(leading, [], 'headers by which a service takes the request for another');
  const hops = folded.filter(([name, value]) => name === 'CONNECTION' && /portcullis/i.test(value));
  assert.deepEqual(hops, [], 'identity that the next hop would drop');
}

export function bodyOf(kind: ErrorKind): string {
  const { code, text } = errorTable[kind];
  return JSON.stringify({ code, msg: text.en });
}

export async function expectRefused(scene: Scene, request: Request, kind: ErrorKind): Promise<Answer> {
  const { answer, reached } = await (kind === 'unavailable' ? sendOnce : send)(scene, request);
  const row = errorTable[kind];
  assert.equal(reached.length, 0, 'requests that reached the service');
  assert.equal(answer.status, row.status);
  assert.equal(answer.text, bodyOf(kind));
  assert.equal(answer.headers['x-auth-reason'], 'reason' in row ? row.reason : undefined);
  expectNotKept(answer);
  return answer;
}

export function expectNotKept({ headers }: Answer): void {
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(headers['cache-control'], 'no-store');
  assert.match(headers['x-request-id'] as string, /^[\w-]{8,}$/);
}

/** The recipes give up after two seconds to four; without a limit of theirs a gateway waits for a minute. */
const mostMilliseconds = 15_000;

/** Soon, and never as a refusal: a refusal would log every user out. */
export async function expectUnavailable(scene: Scene, request: Request): Promise<void> {
  const startedAt = performance.now();
  await expectRefused(scene, request, 'unavailable');
  const milliseconds = performance.now() - startedAt;
  if (isJudged('how soon a gateway says that it is unavailable'))
    assert.ok(milliseconds < mostMilliseconds, `answered after ${Math.round(milliseconds)} ms`);
}
