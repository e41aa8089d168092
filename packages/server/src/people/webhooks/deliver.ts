// Delivers one batch of a webhook: first the queued deliveries that are due (retries), then the new records of both logs. Events of
// one object are sent in order, those of different objects concurrently. An event that is not accepted holds back the later events
// of its object, and nothing else.

import type { DeliveryOutcome, PassedEvent, Progress } from './delivery-progress-store.ts';
import { type DueDelivery, orderingKeyOf } from './delivery-store.ts';
import { bodyOf, isWanted, type LogEvent } from './event.ts';
import type { LogRange } from './event-store.ts';
import { DeliveryError, type SendEvent } from './send-event.ts';
import type { ClaimedWebhook } from './webhook-lease-store.ts';
import { signedHeaders } from './webhook-signature.ts';

export interface BatchOptions {
  readonly webhook: ClaimedWebhook;
  /** The current secret, then the previous one while both sign. */
  readonly secrets: readonly Buffer[];
  readonly post: SendEvent;
  /** Whether this process still holds the lease, and can begin another attempt. */
  readonly mayBegin: () => boolean;
  readonly now: () => number;
  /** One array for each object, in order. */
  readonly listDueDeliveries: (most: {
    readonly objects: number;
    readonly ofEach: number;
  }) => Promise<readonly (readonly DueDelivery[])[]>;
  readonly readEvents: (
    audit: readonly string[],
    logins: readonly string[],
  ) => Promise<Map<string, LogEvent>>;
  readonly readRange: (auditSeq: number, limit: number) => Promise<LogRange>;
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
  /** Whether there is work for the next batch. */
  readonly isMore: boolean;
}

const mostConcurrent = 6;
const mostDeliveries = { objects: 50, ofEach: 10 };
const oneDelivery = { objects: 1, ofEach: 1 };
const mostNew = 100;
/** After this many failures in a row the webhook pauses (backoff); then single attempts probe whether the receiver is back. */
const failuresToRest = 5;
const longestRestSeconds = 60;

export async function deliverBatch(options: BatchOptions): Promise<BatchResult> {
  const { webhook } = options;
  const tries = createTries(options);
  const isProbe = webhook.failuresInRow >= failuresToRest;
  const due = await options.listDueDeliveries(isProbe ? oneDelivery : mostDeliveries);
  if (due.length > 0) await options.storeProgress(await retry(options, tries, due));
  // Queued deliveries come first: otherwise the queue could grow faster than it is emptied.
  const isFull = due.length === mostDeliveries.objects;
  const mayRead = tries.mayGoOn() && !isFull && !(isProbe && due.length > 0 && tries.delivered === 0);
  const logRange = mayRead
    ? await options.readRange(webhook.auditSeq, isProbe && due.length === 0 ? 1 : mostNew)
    : undefined;
  if (logRange !== undefined && isAhead(logRange, webhook))
    await options.storeProgress(await deliverNew(options, tries, logRange));
  return {
    delivered: tries.delivered,
    failed: tries.failed,
    gone: logRange?.gone ?? 0,
    auditSeq: logRange?.auditSeq ?? webhook.auditSeq,
    failuresInRow: tries.failuresInRow,
    isResting: tries.restSeconds() !== null,
    isMore: due.length > 0 || logRange?.isMore === true,
  };
}

/** Whether the log range moves the position of the webhook: records were read, or no longer exist. */
function isAhead({ auditSeq, positions }: LogRange, webhook: ClaimedWebhook): boolean {
  return auditSeq !== webhook.auditSeq || positions.length > 0;
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
    /** Undefined if the receiver accepted the event; otherwise the problem. */
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
        if (!(error instanceof DeliveryError)) throw error;
        counts.failed += 1;
        // Concurrent failures count as one reason to pause, not as several.
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
  const deliveries = lanes.flat();
  const idsOf = (log: string) =>
    deliveries.filter((delivery) => delivery.log === log).map(({ recordId }) => recordId);
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
  return { ...progressOf(tries, { delivered: 0, failed: 0 }), outcomes, passed: [], positions: [], gone };
}

async function deliverNew(options: BatchOptions, tries: Tries, logRange: LogRange): Promise<Progress> {
  const before = { delivered: tries.delivered, failed: tries.failed };
  const wanted = logRange.events.filter((event) => isWanted(options.webhook, event));
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
  const { auditSeq, positions, gone } = logRange;
  return { ...progressOf(tries, before), outcomes: [], passed, auditSeq, positions, gone };
}

/** Processes the items in order, a limited number concurrently. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(mostConcurrent, items.length) }, lane));
}
