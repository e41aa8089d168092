// Delivers events: looks for webhooks with events that are due, and delivers those that no other instance holds.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../cluster/store/store.ts';
import { type TurnOptions, takeTurn } from './deliver.ts';
import { HoldLost, listDueLetters, listHeldObjects, readBacklog, storeProgress } from './delivery-store.ts';
import { readEvents, readStretch } from './event-store.ts';
import type { Post } from './send-event.ts';
import { createHold, type Hold } from './webhook-lease.ts';
import type { HookSecrets } from './webhook-secrets.ts';
import { deleteEndedHooks, type HeldHook, listDueHooks } from './webhook-store.ts';

export interface HookFigures {
  delivered: number;
  failed: number;
  gone: number;
  dead: number;
  lagSeconds: number;
}

export interface Deliverer {
  /** Of the hooks that this process has delivered; `dead` and `lagSeconds` as it saw them last. */
  status(): ReadonlyMap<number, Readonly<HookFigures>>;
  close(): Promise<void>;
}

interface DelivererOptions {
  /** Not the one that requests use: nobody who logs in waits for this. */
  readonly store: Store;
  readonly instance: string;
  readonly secrets: HookSecrets;
  readonly post: Post;
  readonly attempts: number;
  /** Whether there is a login log to tell from. */
  readonly withLogins: boolean;
  readonly onFailure: (cause: unknown, what: string) => void;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly lookMilliseconds?: number;
}

export function startDeliverer(options: DelivererOptions): Deliverer {
  const { store, instance, onFailure, lookMilliseconds = 1000 } = options;
  const stopping = new AbortController();
  const figures = new Map<number, HookFigures>();
  const working = new Map<number, Promise<void>>();
  let isFailing = false;

  /** Those that ended must not stop the others: where they cannot be deleted, the look fails when it is done. */
  async function look(): Promise<void> {
    const [deletion] = await Promise.allSettled([deleteEndedHooks(store)]);
    for (const id of await listDueHooks(store, instance, options.withLogins))
      if (!working.has(id) && !stopping.signal.aborted)
        working.set(
          id,
          work(id)
            .catch((cause: unknown) => onFailure(cause, `webhook ${id} could not be delivered`))
            .finally(() => working.delete(id)),
        );
    if (deletion.status === 'rejected') throw deletion.reason;
  }

  async function work(id: number): Promise<void> {
    const hold = await createHold(options, id);
    if (hold === undefined) return;
    const of = figures.get(id) ?? { delivered: 0, failed: 0, gone: 0, dead: 0, lagSeconds: 0 };
    figures.set(id, of);
    try {
      await deliver(hold, of);
    } catch (error) {
      if (!(error instanceof HoldLost)) throw error;
    } finally {
      await hold.end();
    }
  }

  async function deliver({ hook, mayBegin }: Hold, of: HookFigures): Promise<void> {
    const { id } = hook;
    const secrets = openSecrets(options.secrets, hook);
    const holder = { id, instance, attempts: options.attempts };
    const { withLogins, post, now } = options;
    let state = { auditSeq: hook.auditSeq, failuresInRow: hook.failuresInRow };
    const turn: Omit<TurnOptions, 'hook'> = {
      secrets,
      post,
      now,
      mayBegin: () => mayBegin() && !stopping.signal.aborted,
      listDueLetters: (most) => listDueLetters(store, id, most),
      readEvents: (audit, logins) => readEvents(store, audit, logins),
      readStretch: async (auditSeq, limit) => {
        const stretch = await readStretch(store, { id, auditSeq }, { limit, withLogins });
        of.lagSeconds = Math.max(0, ...stretch.events.map(({ at }) => (now() - at.getTime()) / 1000));
        return stretch;
      },
      listHeldObjects: (events) => listHeldObjects(store, id, events),
      storeProgress: (progress) => storeProgress(store, holder, progress),
    };
    while (turn.mayBegin()) {
      const done = await takeTurn({ ...turn, hook: { ...hook, ...state } });
      of.delivered += done.delivered;
      of.failed += done.failed;
      of.gone += done.gone;
      state = done;
      if (!done.isMore || done.isResting) break;
    }
    const { dead, oldestAt } = await readBacklog(store, id);
    of.dead = dead;
    of.lagSeconds = oldestAt === null ? 0 : Math.max(0, (now() - oldestAt.getTime()) / 1000);
  }

  async function goRound(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await look();
        isFailing = false;
      } catch (cause) {
        if (!isFailing && !stopping.signal.aborted) onFailure(cause, 'webhooks could not be looked after');
        isFailing = true;
      }
      await sleep(lookMilliseconds, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const going = goRound();

  return {
    status: () => figures,
    async close() {
      stopping.abort();
      await going;
      await Promise.all(working.values());
    },
  };
}

/** A secret that does not open signs nothing, and without a signature nothing is sent. */
function openSecrets(secrets: HookSecrets, hook: HeldHook): readonly Buffer[] {
  const secret = secrets.open(hook.id, hook.sealedSecret);
  if (secret === undefined)
    throw new Error(
      `The secret of webhook ${hook.id} does not open. Set the master key that sealed it as \`auth.previousMasterKey\`, or make a new secret.`,
    );
  const previous =
    hook.previousMilliseconds !== null && hook.sealedPrevious !== null
      ? secrets.open(hook.id, hook.sealedPrevious)
      : undefined;
  return previous === undefined ? [secret] : [secret, previous];
}
