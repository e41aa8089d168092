// How webhooks are changed: each change is recorded in its transaction, and answered when nobody delivers by what was before.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  type Call,
  type changeWebhookEndpoint,
  type createWebhookEndpoint,
  type endWebhookEndpoint,
  mostWebhooks,
  type replayDeliveriesEndpoint,
  type skipDeliveriesEndpoint,
  type testWebhookEndpoint,
} from '@portcullis/contract';
import type { AllowedAddresses } from '../../base/values/allowed-addresses.ts';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { RecordChange } from '../../logs/audit/record-change.ts';
import { findProblem, replayLetters, skipLetter } from './delivery-store.ts';
import { objectOf, testKind } from './event.ts';
import { drawSecret, type HookSecrets } from './webhook-secrets.ts';
import {
  changeHook,
  countHooks,
  deleteEndedHooks,
  type HookChange,
  hurry,
  insertHook,
  isFollowed,
  leaseMilliseconds,
  lockHook,
  type NewHook,
  readAuditPlace,
  type StoredHook,
} from './webhook-store.ts';
import { parseHookUrl } from './webhook-url.ts';

export interface HookChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly secrets: HookSecrets;
  readonly addresses: AllowedAddresses;
  readonly randomBytes: (size: number) => Buffer;
  readonly monotonic?: () => number;
}

/** How long the previous secret signs beside a new one. */
const rotationSeconds = 86_400;
const lookMilliseconds = 100;
/** As long as a lease, so that whoever held it has let go. */
const mostWait = leaseMilliseconds + 1000;
const testMilliseconds = 8000;

export function createHookChanges({ store, access, recordChange, ...options }: HookChangesOptions) {
  const { secrets, addresses, randomBytes, monotonic = () => performance.now() } = options;

  function checkUrl(url: string | undefined): void {
    if (url !== undefined && parseHookUrl(url, addresses) === undefined)
      throw new AppError('webhook_url_refused');
  }

  async function until(isSo: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
    const end = monotonic() + milliseconds;
    for (;;) {
      if (await isSo()) return true;
      if (monotonic() >= end) return false;
      await sleep(lookMilliseconds);
    }
  }

  async function followed(id: number, revision: number): Promise<void> {
    if (!(await until(() => isFollowed(store, id, revision), mostWait))) throw new AppError('unavailable');
  }

  return {
    async create(call: Call<typeof createWebhookEndpoint>) {
      const { name, url, kinds = [] } = call.body;
      checkUrl(url);
      const { secret, shown } = drawSecret(randomBytes);
      let id = 0;
      await access.give(call, async (transaction) => {
        if ((await countHooks(transaction)) >= mostWebhooks) throw new AppError('conflict');
        const hook = { name, url, kinds };
        id = await insertHook(transaction, hook, (given) => secrets.seal(given, secret));
        const after = shownOf({ ...hook, enabled: true });
        await recordChange(transaction, call, {
          action: 'webhook.create',
          target: objectOf(id),
          before: null,
          after,
        });
        return [];
      });
      return { id, secret: shown };
    },

    async change(call: Call<typeof changeWebhookEndpoint>) {
      const { id } = call.params;
      const { secret: turn, ...fields } = call.body;
      checkUrl(fields.url);
      const drawn = turn === 'rotate' ? drawSecret(randomBytes) : undefined;
      let revision = 0;
      await access.give(call, async (transaction) => {
        const hook = await lockHook(transaction, id);
        if (turn === 'finish' && hook.sealedPrevious === null) throw new AppError('conflict');
        const change: HookChange = {
          ...fields,
          ...(drawn === undefined
            ? {}
            : {
                sealedSecret: secrets.seal(id, drawn.secret),
                sealedPrevious: hook.sealedSecret,
                previousSeconds: rotationSeconds,
              }),
          ...(turn === 'finish' ? { sealedPrevious: null, previousSeconds: null } : {}),
        };
        revision = await changeHook(transaction, id, change);
        const before = shownOf(hook);
        const after = { ...shownOf({ ...hook, ...fields }), ...(turn === undefined ? {} : { secret: turn }) };
        await recordChange(transaction, call, {
          action: 'webhook.change',
          target: objectOf(id),
          before,
          after,
        });
        return [];
      });
      await followed(id, revision);
      return { secret: drawn?.shown ?? null };
    },

    async end(call: Call<typeof endWebhookEndpoint>) {
      const { id } = call.params;
      let revision = 0;
      await access.give(call, async (transaction) => {
        const before = shownOf(await lockHook(transaction, id));
        revision = await changeHook(transaction, id, { isEnded: true });
        const target = objectOf(id);
        await recordChange(transaction, call, { action: 'webhook.end', target, before, after: null });
        return [];
      });
      await followed(id, revision);
      await deleteEndedHooks(store);
    },

    /** The test is a record like any other, told by whoever delivers the hook: there is no second way out. */
    async test(call: Call<typeof testWebhookEndpoint>) {
      const { id } = call.params;
      const target = objectOf(id);
      await access.give(call, async (transaction) => {
        if (!(await lockHook(transaction, id)).enabled) throw new AppError('conflict');
        await recordChange(transaction, call, { action: testKind, target, before: null, after: null });
        return [];
      });
      const seq = await hurry(store, id);
      const isTold = await until(
        async () => ((await readAuditPlace(store, id)) ?? seq) >= seq,
        testMilliseconds,
      );
      if (!isTold) return { delivered: false, problem: 'not tried yet: look whether an instance runs' };
      const problem = await findProblem(store, id, { kind: testKind, object: target });
      return { delivered: problem === null, problem };
    },

    async replay(call: Call<typeof replayDeliveriesEndpoint>) {
      const { id } = call.params;
      const { letter } = call.body;
      let count = 0;
      await access.give(call, async (transaction) => {
        await lockHook(transaction, id);
        count = await replayLetters(transaction, id, letter);
        await changeHook(transaction, id, {});
        const after = { letter: letter ?? null, count };
        const target = objectOf(id);
        await recordChange(transaction, call, { action: 'webhook.replay', target, before: null, after });
        return [];
      });
      return { count };
    },

    async skip(call: Call<typeof skipDeliveriesEndpoint>) {
      const { id } = call.params;
      await access.give(call, async (transaction) => {
        await lockHook(transaction, id);
        const { eventId, log, kind, object, at } = await skipLetter(transaction, id, call.body.letter);
        const before = { eventId, log, kind, object, at };
        const target = objectOf(id);
        await recordChange(transaction, call, { action: 'webhook.skip', target, before, after: null });
        return [];
      });
      return { count: 1 };
    },
  };
}

/** A path can hold a secret of the receiver's, so the log has the host alone. */
function shownOf({ name, url, kinds, enabled }: NewHook & Pick<StoredHook, 'enabled'>) {
  return { name, host: URL.parse(url)?.host ?? '', kinds, enabled };
}
