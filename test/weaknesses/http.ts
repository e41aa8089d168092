// The public listener: framing, routing, limits, headers and the checks around a handler.
import type { Weakness } from './weakness.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const pipeline = 'packages/gate/src/pipeline.ts';
const pipelineTest = 'packages/gate/test/pipeline.test.ts';
const limitCheck = `${src}/http/limits/limit-check.ts`;
const limitTest = `${test}/http/limits/limit-check.test.ts`;
const strangerBudget = `${src}/http/limits/unauthenticated-limit.ts`;
const strangerTest = `${test}/http/limits/unauthenticated-limit.test.ts`;
const clientAddress = `${src}/http/client-address.ts`;
const parseRange = 'packages/server/src/base/values/parse-range.ts';
const addressTest = `${test}/http/client-address.test.ts`;
const httpApp = `${src}/http/create-http-app.ts`;
const appTest = `${test}/http/create-http-app.test.ts`;
const mountTest = `${test}/http/mount.test.ts`;
const cors = `${src}/http/cors.ts`;
const corsTest = `${test}/http/cors.test.ts`;
const framing = `${src}/http/request-smuggling.ts`;
const streamTest = `${test}/http/stream.test.ts`;

export const httpWeaknesses: readonly Weakness[] = [
  {
    name: 'a check that rejects with an unknown error is passed over',
    file: pipeline,
    before: 'return result.then(',
    after:
      'return result.catch((error: unknown) => {\n        if (error instanceof AppError) throw error;\n      }).then(',
    seenBy: [pipelineTest],
  },
  {
    name: 'a check that returns something lets the request pass',
    file: pipeline,
    before: 'if (result !== undefined) throw',
    after: 'if (result === null) throw',
    seenBy: [pipelineTest],
  },
  {
    name: 'the lease is not checked before the handler, after the body was read',
    file: pipeline,
    before: 'if (current.isLive() !== true) throw',
    after: 'if (current.isLive() === undefined) throw',
    seenBy: [pipelineTest],
  },
  {
    name: 'a request is not decided again where access changed before the handler',
    file: pipeline,
    before: 'while (request.decidedAt !== current.generation) {',
    after: 'while (request.decidedAt > current.generation) {',
    seenBy: [pipelineTest],
  },
  {
    name: 'a route without an access is registered',
    file: `${src}/http/declared-access.ts`,
    before: 'if (problems.length > 0) throw',
    after: 'if (problems.length > 1) throw',
    seenBy: [`${test}/http/declared-access.test.ts`],
  },
  {
    name: 'the rate limit allows one more request',
    file: 'packages/server/src/base/values/token-buckets.ts',
    before: 'if (bucket.tokens < 1) return',
    after: 'if (bucket.tokens < 0) return',
    seenBy: [limitTest],
  },
  {
    name: 'the rate limit counts every address of an IPv6 network separately',
    file: limitCheck,
    before: 'const network = networkOf(request.ip);',
    after: 'const network = request.ip;',
    seenBy: [limitTest],
  },
  {
    name: 'a known device shares the rate limit of its network',
    file: limitCheck,
    before: 'if (owner !== undefined && owners.take(owner) === 0) return;',
    after: '',
    seenBy: [limitTest],
  },
  {
    name: 'a revocation counts against the limit of other calls',
    file: `${src}/http/limits/caller-limit-check.ts`,
    before: 'revoking.has(route) ? revocations : calls',
    after: 'revoking.has(route) ? calls : calls',
    seenBy: [`${test}/http/limits/caller-limit-check.test.ts`],
  },
  {
    name: 'forged tokens do not count against their network',
    file: strangerBudget,
    before: 'failures.take(network);',
    after: '',
    seenBy: [strangerTest],
  },
  {
    name: 'concurrent forged tokens are all verified',
    file: strangerBudget,
    before: 'left - (running?.count ?? 0) >= 1',
    after: 'left >= 1',
    seenBy: [strangerTest],
  },
  {
    name: 'valid tokens count against their network',
    file: strangerBudget,
    before: 'return await verification();',
    after:
      'const verified = await verification();\n        failures.take(network);\n        return verified;',
    seenBy: [strangerTest],
  },
  {
    name: 'X-Forwarded-For is read from the left',
    file: clientAddress,
    before: '.toReversed()',
    after: '',
    seenBy: [addressTest],
  },
  {
    name: 'an entry of X-Forwarded-For that cannot be read is skipped',
    file: clientAddress,
    before: 'if (address === undefined) return known;',
    after: 'if (address === undefined) continue;',
    seenBy: [addressTest],
  },
  {
    name: 'every address is a trusted proxy',
    file: parseRange,
    before: String.raw`([1-9]\d{0,2})`,
    after: String.raw`(\d{1,3})`,
    seenBy: [addressTest],
  },
  {
    name: 'HEAD is served as GET',
    file: httpApp,
    before: 'exposeHeadRoutes: false,',
    after: 'exposeHeadRoutes: true,',
    seenBy: [mountTest],
  },
  {
    name: 'the router ignores case',
    file: httpApp,
    before: 'caseSensitive: true,',
    after: 'caseSensitive: false,',
    seenBy: [mountTest],
  },
  {
    name: 'a body can poison a constructor',
    file: httpApp,
    before: "onConstructorPoisoning: 'error',",
    after: "onConstructorPoisoning: 'ignore',",
    seenBy: [mountTest],
  },
  {
    name: 'a body can poison a prototype',
    file: httpApp,
    before: "onProtoPoisoning: 'error',",
    after: "onProtoPoisoning: 'ignore',",
    seenBy: [mountTest],
  },
  {
    name: 'a target that is not canonical reaches the router',
    file: httpApp,
    before: 'isCanonicalTarget(url) || isConsoleRoot(url)',
    after: "isCanonicalTarget(url) || url !== ''",
    seenBy: [appTest],
  },
  {
    name: 'an origin that begins like a listed one is answered',
    file: cors,
    before: '!origins.has(origin)) return;',
    after: '![...origins].some((listed) => origin.startsWith(listed))) return;',
    seenBy: [`${test}/http/cors-origins.test.ts`],
  },
  {
    name: 'a preflight is answered to any origin',
    file: cors,
    before: "!origins.has(headers.origin ?? '') || ",
    after: '',
    seenBy: [corsTest],
  },
  {
    name: 'chunks in HTTP 1.0 are read',
    file: framing,
    before: '(isOld || coding',
    after: '(coding',
    seenBy: [appTest],
  },
  {
    name: 'a request can have two hosts',
    file: framing,
    before: 'hosts === 1 ||',
    after: 'hosts >= 1 ||',
    seenBy: [`${test}/http/connection-end.test.ts`],
  },
  {
    name: 'a request after a refused one is run',
    file: `${src}/http/connection-end.ts`,
    before: 'if (socket[ending] === true || !socket.writable) return false;',
    after: 'if (!socket.writable) return false;',
    seenBy: [`${test}/http/connection-end.test.ts`],
  },
  {
    name: 'a stream is not decided again',
    file: `${src}/http/mount.ts`,
    before: 'decide: again.length === 0 ? undefined : decide,',
    after: 'decide: undefined,',
    seenBy: [streamTest],
  },
  {
    name: 'a stream outlives its token',
    file: `${src}/http/stream.ts`,
    before: 'context.decidedAt = -1;',
    after: '',
    seenBy: [streamTest],
  },
  {
    name: 'a stream that is cut looks whole',
    file: `${src}/http/stream.ts`,
    before: 'const cut = () => void reply.raw.destroy();',
    after: 'const cut = () => void reply.raw.end();',
    seenBy: [streamTest],
  },
  {
    name: 'a refusal is cached',
    file: `${src}/http/headers.ts`,
    before: "'cache-control': 'no-store',",
    after: "'cache-control': 'private',",
    seenBy: [mountTest],
  },
  {
    name: 'a browser guesses the type of an answer',
    file: `${src}/http/headers.ts`,
    before: "'x-content-type-options': 'nosniff',",
    after: '',
    seenBy: [mountTest],
  },
  {
    name: 'a network can keep one connection more',
    file: `${src}/http/connection-cap.ts`,
    before: 'createConcurrencyLimit(perNetwork)',
    after: 'createConcurrencyLimit(perNetwork + 1)',
    seenBy: [`${test}/http/connection-cap.test.ts`],
  },
  {
    name: 'each address of an IPv6 /64 is a network',
    file: 'packages/server/src/base/values/network.ts',
    before: ".slice(0, 4).join(':')}::/64",
    after: ".join(':')}",
    seenBy: ['packages/server/test/base/values/network.test.ts'],
  },
];
