// The signing key endpoints: the JWKS for verifiers, and key rotation by an operator.
import {
  activateKeyEndpoint,
  createKeyEndpoint,
  defaultPageLimit,
  emergencyRetireKeyEndpoint,
  jwksEndpoint,
  listKeysEndpoint,
  type Route,
  retireKeyEndpoint,
  route,
} from '@portcullis/contract';
import type { AccessChange, AccessWriter } from '../../cluster/access-writer.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { withRecord } from '../../logs/audit/with-record.ts';
import type { CanManageCheck } from '../../people/roles/can-manage/can-manage-check.ts';
import { activateKey, addKey, retireKey, retireKeyAtOnce } from './change-keys.ts';
import { createKeyRow } from './create-key.ts';
import { listKeys, listLiveKeys, readKeyState } from './key-store.ts';

/** The permitted use of a published key. */
const signature = { alg: 'ES256', use: 'sig' } as const;

interface KeyRoutesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly canManage: Pick<CanManageCheck, 'ofEverybody'>;
  readonly sealingKey: Buffer;
  readonly dev: boolean;
  readonly maxTokenLifetimeSeconds: number;
}

export function keyRoutes(options: KeyRoutesOptions): Route[] {
  const { store, access, recordChange, canManage, sealingKey, dev } = options;
  const recorded = (call: AuditedCall, action: string, kid: string, change: AccessChange) =>
    withRecord(
      recordChange,
      call,
      { action, target: `key ${kid}`, readState: (transaction) => readKeyState(transaction, kid, dev) },
      change,
    );
  return [
    route(jwksEndpoint, async () => {
      const keys = await listLiveKeys(store, dev);
      return { keys: keys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, ...signature })) };
    }),
    route(listKeysEndpoint, async ({ query: { after, limit = defaultPageLimit } }) => ({
      data: await listKeys(store, dev, { after, limit }),
    })),
    route(createKeyEndpoint, async (call) => {
      const key = createKeyRow(sealingKey);
      const change: AccessChange = (transaction) => addKey(transaction, key, dev);
      // A new key revokes nothing, but the call waits: every instance must know a key before the key can sign.
      await answerWrite(call, access.takeAway(call, recorded(call, 'key.create', key.kid, change)));
      return { data: { kid: key.kid } };
    }),
    route(activateKeyEndpoint, async (call) => {
      const { kid } = call.params;
      // An empty change that waits: the call that created the key is possibly not answered yet.
      await access.takeAway(call, async () => []);
      const change: AccessChange = (transaction) => activateKey(transaction, kid, dev);
      return await answerWrite(call, access.give(call, recorded(call, 'key.activate', kid, change)));
    }),
    route(retireKeyEndpoint, (call) => {
      const { kid } = call.params;
      const change: AccessChange = (transaction) => retireKey(transaction, kid, options);
      return answerWrite(call, access.takeAway(call, recorded(call, 'key.retire', kid, change)));
    }),
    route(emergencyRetireKeyEndpoint, (call) => {
      const { kid } = call.params;
      canManage.ofEverybody(call.caller);
      const change: AccessChange = (transaction) => retireKeyAtOnce(transaction, kid, options);
      return answerWrite(call, access.takeAway(call, recorded(call, 'key.emergency_retire', kid, change)));
    }),
  ];
}
