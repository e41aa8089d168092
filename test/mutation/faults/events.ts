// Events for others: only to allowed addresses, in the order of their object, signed with what counts now.
import type { Fault } from '../fault.ts';

const src = 'packages/server/src/events';
const test = 'packages/server/test/events';
const deliveryTest = `${test}/deliverer.test.ts`;
const postTest = `${test}/post.test.ts`;

export const eventFaults: readonly Fault[] = [
  {
    name: 'a name may stand for any address',
    file: 'packages/server/src/values/allowed-addresses.ts',
    before: 'found.find(({ address }) => !has(address))',
    after: 'found.find(({ address }) => isIP(address) === 0)',
    seenBy: [postTest],
  },
  {
    name: 'an answer without end is read',
    file: `${src}/post.ts`,
    before: 'if (read > mostAnswerBytes) response.destroy();',
    after: '',
    seenBy: [postTest],
  },
  {
    name: 'later events of an object do not wait',
    file: `${src}/deliver.ts`,
    before: 'let isHeld = held.has(object);',
    after: 'let isHeld = false;',
    seenBy: [deliveryTest],
  },
  {
    name: 'what was swept is not counted',
    file: `${src}/log-store.ts`,
    before: 'gone += seq - chain.seq - told.length;',
    after: '',
    seenBy: [deliveryTest],
  },
  {
    name: 'records that were put aside are not told',
    file: `${src}/log-store.ts`,
    before: 'if (aside.length === 0) return rows;',
    after: 'if (aside.length >= 0) return rows;',
    seenBy: [deliveryTest],
  },
  {
    name: 'the previous secret signs on after a rotation',
    file: `${src}/hook-changes.ts`,
    before: "turn === 'finish' ? { sealedPrevious: null, previousSeconds: null } : {}",
    after: '{}',
    seenBy: [deliveryTest],
  },
  {
    name: 'an end does not wait for who delivers',
    file: `${src}/hook-store.ts`,
    before: 'and held_revision <',
    after: 'and held_revision >',
    seenBy: [deliveryTest],
  },
];
