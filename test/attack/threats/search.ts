// Threat T122, the chapter “Search outside the data scope”.
import type { Section } from './threat.ts';

export const search: Section = {
  title: 'Search outside the data scope',
  page: 'search',
  threats: [
    {
      id: 'T122',
      attack:
        'A caller searches for names, character by character, to learn which people work outside the caller’s data scope.',
      defence:
        'A search is limited to the data scope, like every list. A person outside it gives the same answer as a person who does not exist. The cursor of a page contains no word.',
      heldBy: ['packages/server/test/people/users/user-search.test.ts'],
    },
  ],
};
