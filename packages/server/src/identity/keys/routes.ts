// The signing keys: what verifiers fetch, and what an operator does with them.
import {
  type activateKeyEndpoint,
  type createKeyEndpoint,
  defaultPageLimit,
  type emergencyRetireKeyEndpoint,
  type Handler,
  type jwksEndpoint,
  type listKeysEndpoint,
  type retireKeyEndpoint,
} from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { Store } from '../../store/store.ts';
import { activateKey, addKey, retireKey, retireKeyAtOnce } from './change-keys.ts';
import { createKeyRow } from './create-key.ts';
import { listKeys, listLiveKeys } from './key-store.ts';

export interface KeyRoutes {
  readonly jwks: Handler<typeof jwksEndpoint>;
  readonly listKeys: Handler<typeof listKeysEndpoint>;
  readonly createKey: Handler<typeof createKeyEndpoint>;
  readonly activateKey: Handler<typeof activateKeyEndpoint>;
  readonly retireKey: Handler<typeof retireKeyEndpoint>;
  readonly emergencyRetireKey: Handler<typeof emergencyRetireKeyEndpoint>;
}

interface KeyRoutesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly sealingKey: Buffer;
  readonly dev: boolean;
  readonly maxTokenLifetimeSeconds: number;
}

export function createKeyRoutes(options: KeyRoutesOptions): KeyRoutes {
  const { store, access, sealingKey, dev } = options;
  return {
    jwks: async () => {
      const keys = await listLiveKeys(store, dev);
      return { keys: keys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: 'ES256', use: 'sig' })) };
    },
    listKeys: async ({ query: { after, limit = defaultPageLimit } }) => ({
      data: await listKeys(store, dev, { after, limit }),
    }),
    createKey: async (call) => {
      const key = createKeyRow(sealingKey);
      // It only gives, and waits all the same: a key must be known on every instance before it may sign.
      await answerWrite(
        call,
        access.takeAway((transaction) => addKey(transaction, key, dev)),
      );
      return { data: { kid: key.kid } };
    },
    activateKey: async (call) => {
      // Changes nothing and waits, because the call that made the key may not have been answered yet.
      await access.takeAway(async () => []);
      const revision = access.give((transaction) => activateKey(transaction, call.params.kid, dev));
      return await answerWrite(call, revision);
    },
    retireKey: (call) => {
      const { kid } = call.params;
      return answerWrite(
        call,
        access.takeAway((transaction) => retireKey(transaction, kid, options)),
      );
    },
    emergencyRetireKey: (call) => {
      const { kid } = call.params;
      const revision = access.takeAway((transaction) => retireKeyAtOnce(transaction, kid, options));
      return answerWrite(call, revision);
    },
  };
}
