// One published vulnerability of another product, and its attack as this service would meet it.
import { present } from '../../rig/carriers.ts';
import type { Request } from '../../rig/http-client.ts';
import type { Service } from '../../rig/start-service.ts';
import { type Target, targetOf } from '../tokens/forge.ts';

/** What an advisory says of itself. */
export interface Notice {
  readonly id: string;
  readonly product: string;
  /** What it did, in our own words. */
  readonly what: string;
}

export interface Advisory extends Notice {
  /** The threat that it is a case of. */
  readonly row: string;
  /** How this service answers instead. */
  readonly answer: Refusal;
  /** One request, or the bytes of one; whatever must have happened before it happens here. */
  readonly attack: (world: World) => Attack | Promise<Attack>;
}

export type Attack = Request | string;

/** What the attacker stands before, and what he has got hold of. */
export interface World extends Target {
  readonly service: Service;
  /** Tokens of an administrator, and of a user without permissions. */
  readonly ada: string;
  readonly gina: string;
}

export async function createWorld(service: Service): Promise<World> {
  const [ada, gina] = [await service.tokenOf('ada'), await service.tokenOf('gina')];
  return { ...(await targetOf(service)), service, ada, gina };
}

/** HTTP status and code. For those named as a reason, the header X-Auth-Reason has the reason too. */
export const refusals = {
  token_missing: [200, 401],
  token_malformed: [200, 401],
  token_revoked: [200, 401],
  permission_denied: [200, 401],
  cross_site: [200, 401],
  rate_limited: [200, 429],
  params_invalid: [200, 400],
  captcha_wrong: [200, 400],
  credentials_wrong: [200, 400],
  'not found': [404, 404],
  'not HTTP': [400, 400],
  'too large': [413, 413],
  'wrong type': [415, 415],
} as const;
export type Refusal = keyof typeof refusals;

/** Entered only by a caller who passes as an administrator. */
export const orders: Request = { path: '/api/v1/orders' };

export function withToken(token: string, request: Request = orders): Request {
  return present(token, 'header', request);
}

/** Bytes of a GET, for a target that no client sends. */
export function rawGet(target: string, token: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}
