// Threats T81 to T87, the chapter “Input parsing and resource exhaustion”.
import type { Section } from './threat.ts';

export const resources: Section = {
  title: 'Input parsing and resource exhaustion',
  page: 'resource-exhaustion',
  threats: [
    {
      id: 'T81',
      attack: 'A login body contains prototypes, wrong types, duplicate members, or 100 MB.',
      defence:
        'The body is JSON of at most 4 KiB, and the schema knows every field. A poisoned member name is an error.',
    },
    {
      id: 'T82',
      attack: 'A content type bypasses the validation.',
      defence:
        'Every content type other than `application/json` is rejected. A handler receives only data that its schema has validated.',
    },
    {
      id: 'T83',
      attack: 'A flood of logins keeps the processor busy with hashes.',
      defence:
        'Each core computes one hash at a time. The queue is short and has a deadline. Requests above it are refused before any hash. A client that closes its connection frees no slot.',
      heldBy: [
        'packages/server/test/sign-in/login/credentials/hash-pool.test.ts',
        'packages/server/test/sign-in/login/throttle/login-concurrency-limit.test.ts',
      ],
    },
    {
      id: 'T84',
      attack: 'Slow clients, idle sockets and very large headers use up connections.',
      defence:
        'There are time limits for the headers and for the request, a limit of 16 kB for headers, and a limit of connections per network.',
    },
    {
      id: 'T85',
      attack: 'An attacker fetches captchas until the store is full.',
      defence:
        'The number of captchas per minute and network is limited. A captcha is deleted after its 120 s. Captchas are rows of an unlogged Postgres table, not keys of a Redis that could evict other data.',
    },
    {
      id: 'T86',
      attack: 'A very large number of clients fills the memory of the rate limits.',
      defence:
        'The limit remembers 100,000 networks and forgets the oldest first. Guesses are rows, which a sweep deletes.',
    },
    {
      id: 'T87',
      attack: 'Error responses show SQL, a stack trace or a version.',
      defence: 'One file writes all error responses, from one table of texts.',
      heldBy: ['test/conformance/errors.test.ts', 'packages/server/test/http/error-reply.test.ts'],
    },
  ],
};
