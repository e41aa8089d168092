// A running Portcullis in a separate process, guards that ask it, and requests as a business service receives them.
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGuard, type Decision, type Guard, type GuardOptions } from '@portcullis/guard';
import type { Answer, Request } from '../../../test/rig/http-client.ts';
import { type Service, startService } from '../../../test/rig/start-service.ts';

export const secret = randomBytes(32).toString('hex');

export interface World {
  readonly service: Service;
  readonly secret: string;
  readonly url: string;
  readonly guard: Guard;
  /** What guards reported as failures. */
  readonly failures: unknown[];
  openGuard(options?: Partial<GuardOptions>): Promise<Guard>;
  /** A token that no other test ends. */
  logIn(username: string): Promise<string>;
  /** As the administrator; throws where it does not succeed. */
  administer(method: string, path: string, body?: unknown): Promise<Answer>;
  close(): Promise<void>;
}

export async function startWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const service = await startService({ mode: 'prod', settings: { DECISION_SECRET: secret, ...settings } });
  const url = `http://127.0.0.1:${service.server.decisionPort}`;
  const guards: Guard[] = [];
  const failures: unknown[] = [];
  async function openGuard(options: Partial<GuardOptions> = {}): Promise<Guard> {
    const onFailure = (cause: unknown) => void failures.push(cause);
    const guard = await createGuard({ url, secret, service: 'orders', onFailure, ...options });
    guards.push(guard);
    return guard;
  }
  async function logIn(username: string): Promise<string> {
    const { body, text } = await service.logIn(username);
    if (typeof body.token !== 'string') throw new Error(`${username} cannot log in: ${text}`);
    return body.token;
  }
  async function administer(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await service.send({ method, path, headers: bearer(await service.tokenOf('ada')), body });
    if (answer.body.code !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  }
  return {
    service,
    secret,
    url,
    guard: await openGuard(),
    failures,
    openGuard,
    logIn,
    administer,
    async close() {
      await Promise.all(guards.map((guard) => guard.close()));
      await service.stop();
    },
  };
}

export function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

/** Decides about a request as Node would have parsed it. */
export async function ask(guard: Guard, { method = 'GET', path, headers = {} }: Request): Promise<Decision> {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [name, one]),
  );
  return await guard.decide({ method, target: path, rawHeaders, headers: headers as IncomingHttpHeaders });
}

/** `allowed`, or the kind of the refusal, at this moment. */
export async function outcomeNow(guard: Guard, request: Request): Promise<string> {
  const decision = await ask(guard, request);
  return decision.allowed === true ? 'allowed' : decision.kind;
}

/**
 * The first that is decided: a guard that lost its lease because the machine stood still decides nothing until it has
 * caught up.
 */
export async function outcome(guard: Guard, request: Request): Promise<string> {
  for (;;) {
    const kind = await outcomeNow(guard, request);
    if (kind !== 'unavailable') return kind;
    await sleep(10);
  }
}

export const orders = (token: string): Request => ({ path: '/api/v1/orders', headers: bearer(token) });
