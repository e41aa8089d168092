import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type BatchOptions, type BatchResult, deliverBatch } from '../../../src/people/webhooks/deliver.ts';
import type { Progress } from '../../../src/people/webhooks/delivery-progress-store.ts';
import type { DueDelivery } from '../../../src/people/webhooks/delivery-store.ts';
import type { LogEvent } from '../../../src/people/webhooks/event.ts';
import type { LogRange } from '../../../src/people/webhooks/event-store.ts';
import { DeliveryError, type SendEvent } from '../../../src/people/webhooks/send-event.ts';

const recordedAt = new Date('2026-01-01T00:00:00Z');
const retriedAt = new Date('2026-01-01T08:00:00Z');

const webhook = {
  id: 1,
  name: 'SIEM',
  url: 'https://siem.example.com/',
  types: [],
  enabled: true,
  revision: 1,
  sealedSecret: Buffer.alloc(0),
  sealedPrevious: null,
  previousMilliseconds: null,
  auditSeq: 10,
  failuresInRow: 0,
};

function eventOf(n: number, object = `user ${n}`): LogEvent {
  const id = `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  return { id, type: 'user.update', object, at: recordedAt, log: 'audit', chain: null, seq: n, data: {} };
}

/** A delivery for each event; those of one object in one lane. */
function lanesOf(events: readonly LogEvent[]): DueDelivery[][] {
  const letters = events.map(({ log, id, object }, n) => ({ n, log, recordId: id, object, tries: 1 }));
  return [...Map.groupBy(letters, ({ object }) => object).values()];
}

interface Given {
  readonly letters?: readonly LogEvent[];
  readonly isGone?: (id: string) => boolean;
  readonly failuresInRow?: number;
  readonly stretch?: readonly LogEvent[];
  readonly held?: readonly string[];
  readonly answer?: (id: string) => void;
  readonly mayBegin?: () => boolean;
  /** What else the logs say. */
  readonly logs?: Partial<LogRange>;
  readonly store?: (progress: Progress) => Promise<void>;
}

async function turn({ letters = [], stretch = [], ...given }: Given) {
  const {
    isGone = () => false,
    failuresInRow = 0,
    held = [],
    answer = () => {},
    mayBegin = () => true,
    logs = {},
    store = async () => {},
  } = given;
  const sent: { id: string; at: unknown }[] = [];
  const stored: Progress[] = [];
  const reads: [seq: number, limit: number][] = [];
  const asked: (readonly string[])[] = [];
  const post: SendEvent = async (_url, headers) => {
    const id = String(headers['webhook-id']);
    sent.push({ id, at: headers['webhook-timestamp'] });
    answer(id);
  };
  const options: BatchOptions = {
    webhook: { ...webhook, failuresInRow },
    secrets: [randomBytes(32)],
    post,
    mayBegin,
    now: () => retriedAt.getTime(),
    listDueDeliveries: async ({ objects, ofEach }) =>
      lanesOf(letters)
        .slice(0, objects)
        .map((lane) => lane.slice(0, ofEach)),
    async readEvents(audit, logins) {
      asked.push(audit, logins);
      return new Map(letters.filter(({ id }) => !isGone(id)).map((event) => [event.id, event]));
    },
    async readRange(seq, limit): Promise<LogRange> {
      reads.push([seq, limit]);
      const events = stretch.slice(0, limit);
      return { events, auditSeq: seq + events.length, positions: [], gone: 0, isMore: false, ...logs };
    },
    listHeldObjects: async () => new Set(held),
    async storeProgress(progress) {
      stored.push(progress);
      await store(progress);
    },
  };
  const result: BatchResult = await deliverBatch(options);
  return { result, sent, stored, reads, asked };
}

const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => eventOf(from + n));
const refuse = () => {
  throw new DeliveryError('answered 500');
};

describe('a retry', () => {
  it('is signed with the time of the attempt, not with that of the record', async () => {
    const { sent } = await turn({ letters: many(1) });
    expect(sent.map(({ at }) => at)).toEqual([String(retriedAt.getTime() / 1000)]);
  });

  it('continues with the next event of its object when the record is deleted', async () => {
    const [one, two] = [eventOf(1, 'user 1'), eventOf(2, 'user 1')];
    const { sent, stored } = await turn({ letters: [one, two], isGone: (id) => id === one.id });
    expect(sent.map(({ id }) => id)).toEqual([two.id]);
    expect(stored[0]).toMatchObject({
      gone: 1,
      delivered: 1,
      outcomes: [{ what: 'gone' }, { what: 'delivered' }],
    });
  });

  it('does not start after the time for attempts, and completes deliveries of deleted records', async () => {
    const [one, two, gone] = [eventOf(1, 'user 1'), eventOf(2, 'user 1'), eventOf(3)];
    let left = 1;
    const { sent, stored } = await turn({
      letters: [one, two, gone],
      isGone: (id) => id === gone.id,
      mayBegin: () => left-- > 0,
    });
    expect(sent.map(({ id }) => id)).toEqual([one.id]);
    expect(stored[0]?.outcomes.map(({ delivery, what }) => [delivery.recordId, what]).toSorted()).toEqual([
      [one.id, 'delivered'],
      [gone.id, 'gone'],
    ]);
  });

  it('leaves the later events of an object where one of them is refused', async () => {
    const [one, two, other] = [eventOf(1, 'user 1'), eventOf(2, 'user 1'), eventOf(3)];
    const { sent, stored } = await turn({
      letters: [one, two, other],
      answer: (id) => id === one.id && refuse(),
    });
    expect(sent.map(({ id }) => id)).toEqual([one.id, other.id]);
    expect(stored[0]?.outcomes.map(({ delivery, what }) => [delivery.recordId, what])).toEqual([
      [one.id, 'failed'],
      [other.id, 'delivered'],
    ]);
  });
});

describe('new records are not read', () => {
  it('while the list of deliveries is full', async () => {
    expect((await turn({ letters: many(49), stretch: many(1, 100) })).reads).toEqual([[10, 100]]);
    const full = await turn({ letters: many(50), stretch: many(1, 100) });
    expect(full.reads).toEqual([]);
    expect(full.result).toMatchObject({ auditSeq: 10, isMore: true });
  });

  it('where the only attempt of a resting webhook fails', async () => {
    const failed = await turn({ letters: many(3), stretch: many(1, 100), failuresInRow: 5, answer: refuse });
    expect([failed.sent.length, failed.reads]).toEqual([1, []]);
    const taken = await turn({ letters: many(3), stretch: many(1, 100), failuresInRow: 5 });
    expect([taken.sent.length, taken.reads]).toEqual([2, [[10, 100]]]);
  });

  it('where the only attempt of a resting webhook is of a deleted record', async () => {
    const gone = await turn({
      letters: many(1),
      stretch: many(1, 100),
      failuresInRow: 5,
      isGone: () => true,
    });
    expect([gone.sent, gone.reads]).toEqual([[], []]);
  });

  it('where no attempt may begin', async () => {
    const { sent, reads, stored } = await turn({ stretch: many(1), mayBegin: () => false });
    expect([sent, reads, stored]).toEqual([[], [], []]);
  });
});

it('reads new records where a delivery is refused and the webhook does not rest', async () => {
  const { reads } = await turn({ letters: many(1), stretch: many(1, 100), answer: refuse });
  expect(reads).toEqual([[10, 100]]);
});

describe('a webhook rests', () => {
  it('after five failures in a row, longer with each attempt that fails, and a minute at most', async () => {
    const restOf = async (failuresInRow: number) =>
      (await turn({ stretch: many(1), failuresInRow, answer: refuse })).stored[0]?.restSeconds;
    expect(await Promise.all([3, 4, 5, 6, 9, 10, 100].map(restOf))).toEqual([null, 1, 2, 4, 32, 60, 60]);
  });

  it('after one more failure only, where several attempts fail beside each other', async () => {
    const { sent, stored } = await turn({ stretch: many(20), answer: refuse });
    expect(sent.length).toBeLessThan(12);
    expect(stored[0]).toMatchObject({ failuresInRow: 5, restSeconds: 1 });
  });

  it('no more when an event is taken', async () => {
    const { stored } = await turn({ stretch: many(1), failuresInRow: 7 });
    expect(stored[0]).toMatchObject({ failuresInRow: 0, restSeconds: null, problem: null });
  });

  it('and tries one new event afterwards', async () => {
    const { sent, reads } = await turn({ stretch: many(5), failuresInRow: 5, answer: refuse });
    expect([sent.length, reads]).toEqual([1, [[10, 1]]]);
  });
});

it('skips an event of an object with deliveries, and sends one of another log and the same name', async () => {
  const [one, two] = [eventOf(1), eventOf(2)];
  const { sent, stored } = await turn({
    stretch: [one, two],
    held: [`audit ${one.object}`, `login ${two.object}`],
  });
  expect(sent.map(({ id }) => id)).toEqual([two.id]);
  expect(stored[0]?.passed).toEqual([{ event: one, problem: undefined }]);
});

it('an event that is refused is passed by with its problem, and the next ones of its object without a try', async () => {
  const [one, two] = [eventOf(1, 'user 1'), eventOf(2, 'user 1')];
  const { sent, stored } = await turn({ stretch: [one, two], answer: refuse });
  expect(sent.map(({ id }) => id)).toEqual([one.id]);
  expect(stored[0]?.passed).toEqual([
    { event: one, problem: 'answered 500' },
    { event: two, problem: undefined },
  ]);
});

it('events that may not be tried any more are passed by, not lost', async () => {
  let left = 2;
  const { sent, stored, result } = await turn({
    stretch: many(3).map((event) => ({ ...event, object: 'user 1' })),
    mayBegin: () => left-- > 0,
  });
  expect(sent).toHaveLength(1);
  expect(stored[0]?.passed.map(({ event, problem }) => [event.seq, problem])).toEqual([
    [1, undefined],
    [2, undefined],
  ]);
  expect(result).toMatchObject({ delivered: 1, failed: 0, auditSeq: 13 });
});

it('a fault that is no refusal ends the turn, and nothing is stored', async () => {
  const fault = new Error('a fault');
  const answer = () => {
    throw fault;
  };
  await expect(turn({ stretch: many(1), answer })).rejects.toBe(fault);
});

describe('the progress of a batch', () => {
  const place = { chain: '00000000-0000-4000-8000-000000000000', seq: 1, id: eventOf(1).id };

  it.each<[what: string, logs: Partial<LogRange>, times: number]>([
    ['is not stored where the logs say nothing new', {}, 0],
    ['is stored where records are gone', { gone: 1, auditSeq: 11 }, 1],
    ['is stored where the audit log goes on', { auditSeq: 11 }, 1],
    ['is stored where a chain of logins goes on', { positions: [place] }, 1],
  ])('%s', async (_what, logs, times) => {
    expect((await turn({ logs })).stored).toHaveLength(times);
  });

  it('is stored for deliveries before new records are read, and a batch ends when all is stored', async () => {
    const order: string[] = [];
    const { reads } = await turn({
      letters: [eventOf(1)],
      stretch: [eventOf(2)],
      answer: (id) => void order.push(id === eventOf(1).id ? 'letter' : 'new'),
      async store({ outcomes }) {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(outcomes.length > 0 ? 'letter stored' : 'new stored');
      },
    });
    expect([order, reads]).toEqual([['letter', 'letter stored', 'new', 'new stored'], [[10, 100]]]);
  });

  it.each(['letters', 'stretch'])('ends the batch when it cannot be stored: of %s', async (what) => {
    const fault = new Error('a fault');
    await expect(turn({ [what]: many(1), store: () => Promise.reject(fault) })).rejects.toBe(fault);
  });

  it('reports more work where deliveries are due or the logs have more, and nowhere else', async () => {
    const isMore = async (given: Given) => (await turn(given)).result.isMore;
    expect(
      await Promise.all([isMore({}), isMore({ letters: many(1) }), isMore({ logs: { isMore: true } })]),
    ).toEqual([false, true, true]);
  });

  it('says whether the webhook rests', async () => {
    const isResting = async (given: Given) => (await turn({ stretch: many(1), ...given })).result.isResting;
    expect([await isResting({}), await isResting({ failuresInRow: 5, answer: refuse })]).toEqual([
      false,
      true,
    ]);
  });
});

it('reads the records of deliveries from their log', async () => {
  const [change, login] = [eventOf(1), { ...eventOf(2), log: 'login' as const }];
  expect((await turn({ letters: [change, login] })).asked).toEqual([[change.id], [login.id]]);
});
