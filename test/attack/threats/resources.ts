// T81 to T87: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const resources: Section = {
  title: 'Input, parsers, exhaustion',
  threats: [
    {
      id: 'T81',
      attack: 'Bodies of login with prototypes, other types, repeated members, 100 MB',
      defence: 'JSON of 4 KiB at most, against a schema that knows every field; poisoned names are an error',
    },
    {
      id: 'T82',
      attack: 'A content type that skips validation',
      defence: '`application/json` or refused; nothing reaches a handler that its schema has not seen',
    },
    {
      id: 'T83',
      attack: 'A flood of hashes',
      defence:
        'One hash a core at once, a short line with a deadline, and shedding before anything is hashed; who hangs up frees nothing',
      heldBy: [
        'packages/server/test/sign-in/login/credentials/hash-pool.test.ts',
        'packages/server/test/sign-in/login/throttle/login-concurrency-limit.test.ts',
      ],
    },
    {
      id: 'T84',
      attack: 'Slow clients, idle sockets, huge headers',
      defence:
        'Time limits for head and request, 16 kB of headers, and a bound of connections for each network',
    },
    {
      id: 'T85',
      attack: 'Fetching captchas until the store is full',
      defence:
        'A bound on captchas a minute for each network; 120 s, then swept. They are rows of an unlogged table in Postgres, not keys of a Redis that could evict other things',
    },
    {
      id: 'T86',
      attack: 'Very many different clients fill the limits’ memory',
      defence: 'The limit remembers 100,000 networks and forgets the first; guesses are rows that are swept',
    },
    {
      id: 'T87',
      attack: 'Errors that show SQL, a stack or a version',
      defence: 'One file writes error answers, from one table of texts',
      heldBy: ['test/conformance/errors.test.ts', 'packages/server/test/http/error-reply.test.ts'],
    },
  ],
};
