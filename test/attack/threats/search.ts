// T122: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const search: Section = {
  title: 'What a search tells',
  threats: [
    {
      id: 'T122',
      attack: 'Looking for names, letter by letter, to learn who works outside the own data scope',
      defence:
        'A search is within the data scope like every list: whoever is outside is answered like nobody. Where a page ended it names no word',
      heldBy: ['packages/server/test/people/users/user-search.test.ts'],
    },
  ],
};
