// Generates the rules and requests: an administration API with about 2,500 endpoints, roles that can call a part of it,
// and requests of which about two thirds are allowed. No two requests share a path object.
import { type AccessRequest, methods, parseRule, type Rule } from '@portcullis/policy';

export interface Workload {
  readonly roleCount: number;
  readonly rules: readonly Rule[];
  readonly requests: readonly AccessRequest[];
}

const requestCount = 8192;
const tokenCount = 1024;

/** `ruleCount` rules, with 100 rules per role, or 1,000 per role if there would be more than a thousand roles. */
export function createWorkload(ruleCount: number): Workload {
  const below = createRandom(ruleCount);
  const rulesPerRole = ruleCount > 100_000 ? 1000 : 100;
  const roleCount = ruleCount / rulesPerRole;
  const endpoints = createEndpoints();
  const rules = Array.from({ length: roleCount }, (_, role) => {
    return pickEndpoints(endpoints, rulesPerRole, below).map((endpoint) => {
      const parsed = parseRule({ roleKey: `role-${role}`, ...endpoint });
      if ('reason' in parsed) throw new Error(parsed.reason);
      return parsed.rule;
    });
  });
  return { roleCount, rules: rules.flat(), requests: createRequests(rules, endpoints, below) };
}

interface Endpoint {
  readonly method: string;
  readonly path: string;
}

const words =
  'user role dept post menu dict config log file job task order invoice product stock supplier customer contract payment refund report audit notice message setting group team project issue release build deploy secret token device sensor alarm ticket article comment media tag page form flow step'.split(
    ' ',
  );

function createEndpoints(): Endpoint[] {
  return Array.from({ length: 400 }, (_, i) => {
    const word = words[i % words.length];
    const owner = words[Math.floor(i / words.length)];
    return endpointsOf(`/api/v1/${i < words.length ? word : `${owner}-${word}`}`, i);
  }).flat();
}

function endpointsOf(base: string, i: number): Endpoint[] {
  const child = words[(7 * i) % words.length];
  const list = [`GET ${base}`, `POST ${base}`, `GET ${base}/:id`, `PUT ${base}/:id`, `DELETE ${base}/:id`];
  if (i % 3 === 0) list.push(`GET ${base}/:id/${child}s`, `PUT ${base}/:id/status`);
  if (i % 5 === 0) list.push(`GET ${base}/export`, `POST ${base}/import`);
  if (i % 7 === 0) list.push(`PATCH ${base}/:id/${child}s/:child`);
  if (i % 11 === 0) list.push(`* ${base}/files/*`);
  return list.map((line) => {
    const [method = '', path = ''] = line.split(' ');
    return { method, path };
  });
}

// In runs of five, because a role usually gets most endpoints of a resource.
function pickEndpoints(endpoints: readonly Endpoint[], count: number, below: Below): Endpoint[] {
  const chosen = new Set<Endpoint>();
  while (chosen.size < count) {
    const start = below(endpoints.length);
    for (const endpoint of endpoints.slice(start, start + 5)) if (chosen.size < count) chosen.add(endpoint);
  }
  return [...chosen];
}

function createRequests(
  rules: readonly (readonly Rule[])[],
  endpoints: readonly Endpoint[],
  below: Below,
): AccessRequest[] {
  // All requests of a token share one string for the role key, which is a different object
  // from the string in the rules.
  const tokens = Array.from({ length: tokenCount }, () => {
    const ofRole = pick(rules, below);
    return { roleKey: flat(pick(ofRole, below).roleKey), ofRole };
  });
  return Array.from({ length: requestCount }, () => {
    const { roleKey, ofRole } = pick(tokens, below);
    const aim = below(10) < 7 ? pick(ofRole, below) : pick(endpoints, below);
    const method = aim.method === '*' || below(10) === 0 ? pick(methods.slice(0, 5), below) : aim.method;
    const path = concretePath(aim.path, below);
    return { roleKey, method, path: flat(below(20) === 0 ? `${path}/more` : path) };
  });
}

function concretePath(path: string, below: Below): string {
  return path
    .replaceAll(/:\w+/g, () => String(below(100_000)))
    .replace('*', `${below(1000).toString(36)}/scan-${below(100)}.pdf`);
}

// A flat string (not a rope or slice of another string), like one that comes from a socket.
function flat(text: string): string {
  return Buffer.from(text).toString('latin1');
}

type Below = (limit: number) => number;

function pick<T>(choices: readonly T[], below: Below): T {
  const choice = choices[below(choices.length)];
  if (choice === undefined) throw new Error('There is nothing to pick from.');
  return choice;
}

// Marsaglia's xorshift: the same numbers in every run.
function createRandom(seed: number): Below {
  let state = (seed ^ 0x2545f491) | 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}
