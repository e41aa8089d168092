// One turn of a hook: letters that are due, then what is new in the logs. Events of one object go one after the other, those of
// others beside them; an event that is not taken holds back the later ones of its object, and nothing else.

import type { DeliveryOutcome, PassedEvent, Progress } from './delivery-progress-store.ts';
import { type DueDelivery, orderingKeyOf } from './delivery-store.ts';
import { bodyOf, isWanted, type LogEvent } from './event.ts';
import type { LogRange } from './event-store.ts';
import { NotTaken, type SendEvent } from './send-event.ts';
import type { ClaimedWebhook } from './webhook-lease-store.ts';
import { signedHeaders } from './webhook-secrets.ts';

export interface BatchOptions {
  readonly webhook: ClaimedWebhook;
  /** The previous one second, while both sign. */
  readonly secrets: readonly Buffer[];
  readonly post: SendEvent;
  /** Whether this process still delivers the hook, and may begin another try. */
  readonly mayBegin: () => boolean;
  readonly now: () => number;
  /** Those of each object in their order. */
  readonly listDueDeliveries: (most: {
    readonly objects: number;
    readonly ofEach: number;
  }) => Promise<readonly (readonly DueDelivery[])[]>;
  readonly readEvents: (
    audit: readonly string[],
    logins: readonly string[],
  ) => Promise<Map<string, LogEvent>>;
  readonly readStretch: (auditSeq: number, limit: number) => Promise<LogRange>;
  readonly listHeldObjects: (events: readonly LogEvent[]) => Promise<Set<string>>;
  readonly storeProgress: (progress: Progress) => Promise<void>;
}

export interface BatchResult {
  readonly delivered: number;
  readonly failed: number;
  readonly gone: number;
  readonly auditSeq: number;
  readonly failuresInRow: number;
  readonly isResting: boolean;
  /** Whether the next turn has something to do. */
  readonly isMore: boolean;
}

const besideEachOther = 6;
const mostLetters = { objects: 50, ofEach: 10 };
const oneLetter = { objects: 1, ofEach: 1 };
const mostNew = 100;
/** So many failures in a row, and the hook rests; then one try at a time shows whether the receiver is back. */
const failuresToRest = 5;
const longestRestSeconds = 60;

export async function deliverBatch(options: BatchOptions): Promise<BatchResult> {
  const { webhook } = options;
  const tries = createTries(options);
  const isProbe = webhook.failuresInRow >= failuresToRest;
  const letters = await options.listDueDeliveries(isProbe ? oneLetter : mostLetters);
  if (letters.length > 0) await options.storeProgress(await retry(options, tries, letters));
  // What was passed by comes first: else more would be put behind it than is taken from there.
  const isFull = letters.length === mostLetters.objects;
  const mayRead = tries.mayGoOn() && !isFull && !(isProbe && letters.length > 0 && tries.delivered === 0);
  const stretch = mayRead
    ? await options.readStretch(webhook.auditSeq, isProbe && letters.length === 0 ? 1 : mostNew)
    : undefined;
  if (stretch !== undefined && isAhead(stretch, webhook))
    await options.storeProgress(await tell(options, tries, stretch));
  return {
    delivered: tries.delivered,
    failed: tries.failed,
    gone: stretch?.gone ?? 0,
    auditSeq: stretch?.auditSeq ?? webhook.auditSeq,
    failuresInRow: tries.failuresInRow,
    isResting: tries.restSeconds() !== null,
    isMore: letters.length > 0 || stretch?.isMore === true,
  };
}

/** What was read, or is gone, lies between where the hook stood and where it stands then. */
function isAhead({ auditSeq, places }: LogRange, webhook: ClaimedWebhook): boolean {
  return auditSeq !== webhook.auditSeq || places.length > 0;
}

type Tries = ReturnType<typeof createTries>;

function createTries({ webhook, secrets, post, mayBegin, now }: BatchOptions) {
  const counts = {
    delivered: 0,
    failed: 0,
    failuresInRow: webhook.failuresInRow,
    problem: undefined as string | null | undefined,
    mayGoOn: () =>
      mayBegin() && (counts.failuresInRow < failuresToRest || counts.delivered + counts.failed === 0),
    restSeconds() {
      const beyond = counts.failuresInRow - failuresToRest;
      return beyond < 0 ? null : Math.min(longestRestSeconds, 2 ** Math.min(beyond, 10));
    },
    /** Undefined where it was taken, and what is the matter where not. */
    async send(event: LogEvent): Promise<string | undefined> {
      const body = bodyOf(event);
      const headers = signedHeaders({ id: event.id, body, at: new Date(now()) }, secrets);
      try {
        await post(webhook.url, headers, body);
        counts.delivered += 1;
        counts.failuresInRow = 0;
        counts.problem = null;
        return undefined;
      } catch (error) {
        if (!(error instanceof NotTaken)) throw error;
        counts.failed += 1;
        // Those that failed beside each other are one reason to rest, and not several.
        counts.failuresInRow = Math.min(
          counts.failuresInRow + 1,
          Math.max(failuresToRest, webhook.failuresInRow + 1),
        );
        counts.problem = error.message.slice(0, 200);
        return counts.problem;
      }
    },
  };
  return counts;
}

function progressOf(tries: Tries, before: { delivered: number; failed: number }) {
  return {
    delivered: tries.delivered - before.delivered,
    failed: tries.failed - before.failed,
    failuresInRow: tries.failuresInRow,
    restSeconds: tries.restSeconds(),
    problem: tries.problem,
  };
}

async function retry(
  options: BatchOptions,
  tries: Tries,
  lanes: readonly (readonly DueDelivery[])[],
): Promise<Progress> {
  const letters = lanes.flat();
  const idsOf = (log: string) =>
    letters.filter((delivery) => delivery.log === log).map(({ recordId }) => recordId);
  const events = await options.readEvents(idsOf('audit'), idsOf('login'));
  const outcomes: DeliveryOutcome[] = [];
  await inLanes(lanes, async (lane) => {
    for (const delivery of lane) {
      const event = events.get(delivery.recordId);
      if (event !== undefined && !tries.mayGoOn()) return;
      const problem = event === undefined ? undefined : await tries.send(event);
      if (problem !== undefined) {
        outcomes.push({ delivery, what: 'failed', problem });
        return;
      }
      outcomes.push({ delivery, what: event === undefined ? 'gone' : 'delivered' });
    }
  });
  const gone = outcomes.filter(({ what }) => what === 'gone').length;
  return { ...progressOf(tries, { delivered: 0, failed: 0 }), outcomes, passed: [], places: [], gone };
}

async function tell(options: BatchOptions, tries: Tries, stretch: LogRange): Promise<Progress> {
  const before = { delivered: tries.delivered, failed: tries.failed };
  const wanted = stretch.events.filter((event) => isWanted(options.webhook, event));
  const held = await options.listHeldObjects(wanted);
  const problems = new Map<LogEvent, string | undefined>();
  const lanes = Map.groupBy(wanted, orderingKeyOf);
  await inLanes([...lanes], async ([object, events]) => {
    let isHeld = held.has(object);
    for (const event of events) {
      const isTried = !isHeld && tries.mayGoOn();
      const problem = isTried ? await tries.send(event) : undefined;
      if (isTried && problem === undefined) continue;
      isHeld = true;
      problems.set(event, problem);
    }
  });
  const passed: PassedEvent[] = wanted
    .filter((event) => problems.has(event))
    .map((event) => ({ event, problem: problems.get(event) }));
  const { auditSeq, places, gone } = stretch;
  return { ...progressOf(tries, before), outcomes: [], passed, auditSeq, places, gone };
}

/** Some at a time, in their order. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(besideEachOther, items.length) }, lane));
}
