// Threats T34 to T52, the chapter “Bypassing the permission check by path or method”.
import type { Section } from './threat.ts';

export const paths: Section = {
  title: 'Bypassing the permission check by path or method',
  page: 'paths-and-methods',
  threats: [
    {
      id: 'T34',
      attack: 'The path contains percent-encoded letters.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found. The permission check uses the route that matched.',
    },
    {
      id: 'T35',
      attack: 'The path is encoded two or three times.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found. It decodes nothing.',
    },
    {
      id: 'T36',
      attack: 'The path contains slashes or backslashes, encoded or not.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found.',
    },
    {
      id: 'T37',
      attack: 'The path contains repeated slashes.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found. No segment is empty.',
    },
    {
      id: 'T38',
      attack: 'A trailing slash reaches `/:id` with an empty id.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found. No parameter is empty.',
    },
    {
      id: 'T39',
      attack: 'The path contains dot segments, encoded or not.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found.',
    },
    {
      id: 'T40',
      attack: 'The path contains matrix parameters.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found. No accepted path contains a semicolon.',
    },
    {
      id: 'T41',
      attack: 'The request line contains a fragment.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found.',
    },
    {
      id: 'T42',
      attack: 'The request line uses the absolute or the authority form.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found. It accepts only the origin form.',
    },
    {
      id: 'T43',
      attack: 'The path uses another case, or letters that case folding turns into ours.',
      defence: 'Paths are ASCII and compared byte by byte.',
    },
    {
      id: 'T44',
      attack: 'The path contains control characters, overlong UTF-8 or lone surrogates.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found.',
    },
    {
      id: 'T45',
      attack: 'The method is HEAD, OPTIONS, TRACE, `get` or unknown.',
      defence:
        'A method that no route declares is not found; this includes HEAD. OPTIONS answers only preflight requests of listed origins.',
    },
    {
      id: 'T46',
      attack: 'Headers or parameters name another method or path.',
      defence: 'The service ignores such headers and parameters.',
    },
    {
      id: 'T47',
      attack: 'A rule is interpreted as a regular expression.',
      defence: 'Segments are compared literally. No regular expression is built from data.',
      heldBy: ['npm run fuzz -- literal', 'npm run fuzz -- policy', 'packages/policy/test/decide.test.ts'],
    },
    {
      id: 'T48',
      attack: 'A stored pattern makes a regular expression run for a long time.',
      defence:
        'The rule grammar rejects it on write. If SQL inserts it into the table, the service skips and reports it, and the other rules stay in force.',
      heldBy: ['packages/policy/test/parse-rule.test.ts', 'npm run chaos -- corrupt'],
    },
    {
      id: 'T49',
      attack: 'The pattern `/foo/:` puts a known matcher into an endless loop.',
      defence:
        'The rule grammar rejects it on write; if SQL inserts it, the service skips and reports it. Matching takes as many steps as the path has segments.',
      heldBy: ['packages/policy/test/parse-rule.test.ts', 'npm run chaos -- corrupt'],
    },
    {
      id: 'T50',
      attack: 'A prefix in a rule does not end at a slash.',
      defence: '`*` is a whole segment, and only the last one.',
      heldBy: ['packages/policy/test/parse-rule.test.ts', 'npm run fuzz -- policy'],
    },
    {
      id: 'T51',
      attack: 'A rule for `/` opens every path.',
      defence: 'It matches `/` and nothing else.',
      heldBy: ['packages/policy/test/decide.test.ts', 'packages/policy/test/decision-cases.ts'],
    },
    {
      id: 'T52',
      attack: 'A path starts with a public path and then leads to another one.',
      defence:
        'The gate before the router accepts a target exactly as it was sent, or answers that it is not found. A route with a wildcard prevents the start.',
      heldBy: ['packages/gate/test/request/canonical-target.test.ts'],
    },
  ],
};
