// Threats T123 and T124, the chapter “Access requests”.
import type { Section } from './threat.ts';

const rooms = ['packages/server/test/permissions/requests/routes.test.ts'];

export const asking: Section = {
  title: 'Access requests',
  page: 'access-requests',
  threats: [
    {
      id: 'T123',
      attack:
        'A user sends an unlimited number of access requests, requests calls that do not exist, hides characters in the text, or reads or answers the requests of others.',
      defence:
        'A person can have ten open requests; a repeated request is the same request. Requests have a separate rate limit. They name known endpoints only, and their text contains no invisible characters. Each person reads their own requests. The open requests of others need a permission and are limited to the data scope.',
      heldBy: rooms,
    },
    {
      id: 'T124',
      attack:
        'An answer grants more than was requested, more than its author can grant, or for a longer time.',
      defence:
        'A request names one call or one endpoint of the catalogue, never a wildcard. Granting it is a normal change of temporary rules, with the same check by permanent rules, in one transaction with the answer. The rule is never valid for longer than was requested. Of two answers, one counts. No answer shortens an existing rule.',
      heldBy: rooms,
    },
  ],
};
