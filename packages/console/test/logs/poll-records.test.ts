import { expect, it } from 'vitest';
import { pollRecords } from '../../src/logs/poll-records.ts';

/** What is told over these pages, one a look. */
async function poll(pages: readonly (readonly string[])[], next: string | null = null): Promise<string[]> {
  const stopper = new AbortController();
  const rest = [...pages];
  const events = pollRecords({
    read: async () => ({ items: (rest.shift() ?? []).map((id) => ({ id })), next }),
    pause: async () => {
      if (rest.length === 0) stopper.abort();
    },
    signal: stopper.signal,
  });
  const told: string[] = [];
  for await (const event of events) told.push(event.name === 'gap' ? 'gap' : event.data.id);
  return told;
}

it('skips the records of the first page, and returns new records of the next pages, oldest first', async () => {
  expect(
    await poll([
      ['b', 'a'],
      ['b', 'a'],
      ['d', 'c', 'b'],
      ['d', 'c'],
    ]),
  ).toEqual(['c', 'd']);
});

it('returns all first records of an empty log', async () => {
  expect(await poll([[], ['b', 'a']])).toEqual(['a', 'b']);
});

it('returns a record that was stored late, between others', async () => {
  expect(
    await poll([
      ['c', 'a'],
      ['c', 'b', 'a'],
    ]),
  ).toEqual(['b']);
});

it('says that some are missing where a page has nothing that was there before, and ends with an error', async () => {
  expect(
    await poll(
      [
        ['b', 'a'],
        ['f', 'e'],
      ],
      'more',
    ),
  ).toEqual(['gap', 'e', 'f']);
  const events = pollRecords({
    read: () => Promise.reject(new Error('refused')),
    pause: async () => {},
    signal: new AbortController().signal,
  });
  await expect(events.next()).rejects.toThrow('refused');
});
