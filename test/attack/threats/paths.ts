// T34 to T52: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

const gate = 'The gate before the router: a target is served as it was sent, or not found';

export const paths: Section = {
  title: 'Past the permission check by path and method',
  threats: [
    {
      id: 'T34',
      attack: 'Letters that are percent-encoded',
      defence: `${gate}; the decision is about the route that matched`,
    },
    { id: 'T35', attack: 'Encoded twice, three times', defence: `${gate}; nothing is decoded` },
    { id: 'T36', attack: 'Slashes and backslashes, encoded or not', defence: gate },
    { id: 'T37', attack: 'More slashes than one', defence: `${gate}; a segment is never empty` },
    {
      id: 'T38',
      attack: 'A slash at the end reaches `/:id` with no id',
      defence: `${gate}; a parameter is never empty`,
    },
    { id: 'T39', attack: 'Dot segments, encoded or not', defence: gate },
    { id: 'T40', attack: 'Matrix parameters', defence: `${gate}; a semicolon is in no path` },
    { id: 'T41', attack: 'A fragment in the request line', defence: gate },
    { id: 'T42', attack: 'Absolute and authority form', defence: `${gate}; only origin form` },
    {
      id: 'T43',
      attack: 'Another case, letters that fold to ours',
      defence: 'Paths are ASCII and compared byte by byte',
    },
    { id: 'T44', attack: 'Control characters, overlong UTF-8, lone surrogates', defence: gate },
    {
      id: 'T45',
      attack: 'HEAD, OPTIONS, TRACE, `get`, unknown methods',
      defence:
        'A method that no route declares is not found, HEAD too; OPTIONS answers preflights of listed origins alone',
    },
    {
      id: 'T46',
      attack: 'Headers and parameters that name another method or path',
      defence: 'Nothing reads them',
    },
    {
      id: 'T47',
      attack: 'A rule that is read as a regular expression',
      defence: 'Segments are compared literally; no regular expression is ever made of data',
      heldBy: ['npm run fuzz -- literal', 'npm run fuzz -- policy', 'packages/policy/test/decide.test.ts'],
    },
    {
      id: 'T48',
      attack: 'A stored pattern that keeps a regular expression busy',
      defence:
        'Refused on write by the grammar; where SQL forced it in, it is skipped and reported, and the rest stays in force',
      heldBy: ['packages/policy/test/parse-rule.test.ts', 'npm run chaos -- corrupt'],
    },
    {
      id: 'T49',
      attack: 'The pattern `/foo/:`, on which a known matcher never ends',
      defence: 'As above; matching takes as many steps as there are segments',
      heldBy: ['packages/policy/test/parse-rule.test.ts', 'npm run chaos -- corrupt'],
    },
    {
      id: 'T50',
      attack: 'A prefix that does not end at a slash',
      defence: '`*` is a whole segment, and only the last one',
      heldBy: ['packages/policy/test/parse-rule.test.ts', 'npm run fuzz -- policy'],
    },
    {
      id: 'T51',
      attack: 'A rule for `/` opens everything',
      defence: 'It matches `/` and nothing else',
      heldBy: ['packages/policy/test/decide.test.ts', 'packages/policy/test/decision-cases.ts'],
    },
    {
      id: 'T52',
      attack: 'From a public path up to another one',
      defence: `${gate}; a route with a wildcard stops the start`,
      heldBy: ['packages/gate/test/request/canonical-target.test.ts'],
    },
  ],
};
