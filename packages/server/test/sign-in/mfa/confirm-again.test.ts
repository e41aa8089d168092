// A confirmation that a deadlock undoes runs a second time, and says what became of that one.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSealedSecrets } from '../../../src/base/secrets/sealed-secrets.ts';
import type { AccessWriter } from '../../../src/cluster/access-writer.ts';
import type { StoreTransaction } from '../../../src/cluster/store/store.ts';
import type { AuditedCall } from '../../../src/logs/audit/record-change.ts';
import { createFactorChanges } from '../../../src/sign-in/mfa/factor-changes.ts';
import { createPasskeyChanges } from '../../../src/sign-in/mfa/passkey/passkey-changes.ts';
import type { WebAuthn } from '../../../src/sign-in/mfa/passkey/web-authn.ts';
import { codeAt, stepAt } from '../../../src/sign-in/mfa/totp/totp.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator } from '../../serve-routes.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const call: AuditedCall = {
  caller: { ...administrator, userId: 7 },
  confirmedAt: 'unchecked',
  ip: '127.0.0.1',
  requestId: 'r',
};

/** Undoes the first try of what takes away, after its changes. */
function undoing(between: (transaction: StoreTransaction) => Promise<unknown>): AccessWriter {
  const { give, takeAway } = createAccessStandIn(database.store);
  return {
    give,
    takeAway(by, change) {
      let tries = 0;
      return takeAway(by, async (transaction) => {
        tries += 1;
        if (tries > 1) await between(transaction);
        const effects = await change(transaction);
        if (tries === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
        return effects;
      });
    },
  };
}

const commonOf = (access: AccessWriter) => ({
  store: database.store,
  access,
  randomBytes,
  recordChange: async () => {},
  issuer: 'Portcullis',
});

it('rejects the code of an app that has run out by then', async () => {
  let now = Date.now();
  const access = undoing(async () => {
    now += 600_000;
  });
  const secret = Buffer.alloc(20, 7);
  const changes = createFactorChanges({
    ...commonOf(access),
    randomBytes: (size) => (size === secret.length ? secret : randomBytes(size)),
    now: () => now,
    secrets: createSealedSecrets('totp', [randomBytes(32)], () => {}),
  });
  const { id } = await changes.addTotp(call);
  expect(await changes.confirmTotp(call, id, codeAt(secret, stepAt(now)))).toBeUndefined();
});

it('rejects a passkey whose challenge has expired', async () => {
  const access = undoing((transaction) =>
    transaction.deleteFrom('credentials').where('kind', '=', 'passkey').execute(),
  );
  const verifyRegistration = async () => ({ subject: 's', publicKey: 'k', counter: 0 });
  const webAuthn = { verifyRegistration } as unknown as WebAuthn;
  const passkeys = createPasskeyChanges({ ...commonOf(access), webAuthn, domain: 'localhost' });
  await passkeys.begin(call, call.caller);
  const made = { response: {}, name: 'Key' } as Parameters<typeof passkeys.add>[1];
  expect(await passkeys.add(call, made)).toBeUndefined();
});
