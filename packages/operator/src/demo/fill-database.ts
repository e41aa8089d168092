// Fills the empty database of the demo. Users, rules and routes go through the endpoints' handlers if these write audit
// records. The login log gets a valid hash chain, so `portcullis log verify` accepts it.
import { randomBytes, randomUUID } from 'node:crypto';
import { changeRulesEndpoint, importRoutesEndpoint } from '@portcullis/contract';
import type { Config } from '@portcullis/server/base/settings/config.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import { createUuidV7Source } from '@portcullis/server/cluster/store/uuid-v7.ts';
import { insertHead } from '@portcullis/server/logs/evidence/head-store.ts';
import { createChain, signLink } from '@portcullis/server/logs/login-log/chain.ts';
import { createClientFacts } from '@portcullis/server/logs/login-log/client-facts.ts';
import { insertLoginRows } from '@portcullis/server/logs/login-log/login-log-store.ts';
import { createLoginRecord } from '@portcullis/server/logs/login-log/login-record.ts';
import { rowOf } from '@portcullis/server/logs/login-log/login-row.ts';
import { createPseudonymize } from '@portcullis/server/logs/login-log/pseudonym.ts';
import { createPasswordHashes } from '@portcullis/server/sign-in/login/credentials/password-hashes.ts';
import { composeOperator } from '../compose-operator.ts';
import { roles, services } from './company.ts';
import { adoptTables, insertCompany, makeLastMonth } from './company-store.ts';
import { createPastLogins } from './past-logins.ts';

export interface DemoPasswords {
  readonly administrator: string;
  readonly others: string;
}

export async function fillDatabase(store: Store, config: Config, passwords: DemoPasswords): Promise<void> {
  const hashes = createPasswordHashes({
    cost: config.hash,
    matchesBcrypt: async () => false,
    randomBytes,
  });
  const [administrator, others] = await Promise.all([
    hashes.hash(passwords.administrator),
    hashes.hash(passwords.others),
  ]);
  await adoptTables(store);
  await insertCompany(store, { administrator, others });
  await writeRules(store, config);
  await writeLoginLog(store, config);
}

async function writeRules(store: Store, config: Config): Promise<void> {
  const operator = await composeOperator(store, config);
  try {
    for (const { name: service, document } of services)
      await operator.call(importRoutesEndpoint, { params: { service }, query: {}, body: { ...document } });
    for (const { id, rules } of roles) {
      const add = rules.map((rule) => {
        const [method = '', path = ''] = rule.split(' ');
        return { method, path };
      });
      if (add.length > 0) await operator.call(changeRulesEndpoint, { params: { id }, body: { add } });
    }
  } finally {
    await operator.close();
  }
}

/** Writes one chain, as if one instance had run until now. */
async function writeLoginLog(store: Store, { chainKeys: [key], masterKey }: Config): Promise<void> {
  const hideName = createPseudonymize(masterKey.names);
  const describeClient = await createClientFacts({ geoipFile: '', monotonic: () => performance.now() });
  const chain = createChain(key, randomUUID());
  const nextId = createUuidV7Source(randomBytes);
  const instance = randomUUID();
  const past = createPastLogins({ now: Date.now(), random: Math.random, randomUuid: randomUUID });
  const texts = past.map(({ at, attempt }) => {
    const stamp = { id: nextId(at), at: new Date(at), instance };
    return JSON.stringify(
      chain.add(rowOf(createLoginRecord(attempt, stamp, describeClient(attempt), hideName))),
    );
  });
  await makeLastMonth(store);
  await insertLoginRows(store, texts);
  const signature = signLink(key, chain.id, chain.last, 'head');
  await insertHead(store, { chain: chain.id, ...chain.last, signature });
}
