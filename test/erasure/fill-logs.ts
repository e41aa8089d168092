// People, and their records in both logs: each with a unique name, address and agent.
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { parseMasterKey } from '../../packages/server/src/base/settings/master-key.ts';
import { openStore, type Store } from '../../packages/server/src/cluster/store/store.ts';
import { createUuidV7Source } from '../../packages/server/src/cluster/store/uuid-v7.ts';
import { type Chain, createChain } from '../../packages/server/src/logs/login-log/chain.ts';
import { insertLoginRows } from '../../packages/server/src/logs/login-log/login-log-store.ts';
import { createPseudonymize } from '../../packages/server/src/logs/login-log/pseudonym.ts';
import { signHead } from '../../packages/server/test/logs/login-log/write-chain.ts';
import type { Random } from '../fuzz/random.ts';
import { masterKey, namesKey } from '../rig/master-key.ts';

interface FillOptions {
  readonly users: number;
  readonly records: number;
  readonly random: Random;
}

const batchSize = 1000;
const instances = 4;
/** One change of a person in the audit log for so many records of the login log. */
const recordsPerChange = 50;

/** By a number from 0 on; the id of the account is one more. */
export function personOf(person: number) {
  const digits = person.toString(16).padStart(8, '0');
  const username = `zqu-${digits}`;
  const name = `zqn-${digits}`;
  const agent = `zqa-${digits}`;
  const [high, low] = [0x1000 + Math.floor(person / 0x1000), 0x1000 + (person % 0x1000)];
  const ip = `2001:db8:${high.toString(16)}:${low.toString(16)}::1`;
  return { id: person + 1, username, name, agent, ip, traces: [username, name, agent, ip] };
}

export async function fillLogs(url: string, { users, records, random }: FillOptions): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const store = openStore({
    url,
    poolSize: 2,
    statementTimeoutMilliseconds: 0,
    onConnectionLost: console.error,
  });
  try {
    await insertPeople(client, users);
    await insertLogins(store, users, records, random);
    await insertChanges(client, users, Math.ceil(records / recordsPerChange), random);
    await client.query('analyze');
  } finally {
    await store.destroy();
    await client.end();
  }
}

async function insertPeople(client: pg.Client, users: number): Promise<void> {
  await client.query(`insert into departments (id, name) values (1, 'All') on conflict do nothing`);
  await client.query(
    `insert into roles (id, role_key, name, data_scope) values (1, 'admin', 'Administrator', '1'), (2, 'clerk', 'Clerk', '5') on conflict do nothing`,
  );
  const all = Array.from({ length: users }, (_, person) => personOf(person));
  await client.query(
    `insert into users (id, username, canonical_username, nick_name, department_id, role_id, password_hash)
     select id, username, username, name, 1, 2, 'hash' from unnest($1::bigint[], $2::text[], $3::text[]) as p (id, username, name)`,
    [all.map(({ id }) => id), all.map(({ username }) => username), all.map(({ name }) => name)],
  );
  // A session takes a lock for its owner, and a transaction has room for some thousand.
  for (let done = 0; done < users; done += batchSize) {
    const some = all.slice(done, done + batchSize);
    await client.query(
      `insert into sessions (jti, user_id, role_key, kid, epoch, ip, user_agent, issued_at, expires_at)
       select 's-' || id, id, 'clerk', 'k', 1, ip::inet, agent, now(), now() + interval '1 hour'
       from unnest($1::bigint[], $2::text[], $3::text[]) as p (id, ip, agent)`,
      [some.map(({ id }) => id), some.map(({ ip }) => ip), some.map(({ agent }) => agent)],
    );
  }
}

/** Written by the product's own code, as some instances do beside each other. */
async function insertLogins(store: Store, users: number, records: number, random: Random): Promise<void> {
  const key = chainKey();
  const hideName = createPseudonymize(namesKey);
  const chains: Chain[] = Array.from({ length: instances }, () => createChain(key, randomUUID()));
  const nextId = createUuidV7Source(randomBytes);
  // Some of them without an account: a captcha was wrong, and the name is hidden.
  for (let done = 0; done < records; done += batchSize) {
    const texts = Array.from({ length: Math.min(batchSize, records - done) }, (_, n) => {
      // Every person has some.
      const person = personOf(done + n < users ? done + n : random.below(users));
      const isHidden = random.once(10);
      const isSuccess = !isHidden && !random.once(4);
      const at = Date.now();
      const row = {
        id: nextId(at),
        at: new Date(at).toISOString(),
        username: isHidden ? hideName(person.username) : person.username,
        user_id: isHidden ? null : person.id,
        role_key: isSuccess ? 'clerk' : null,
        outcome: isSuccess ? 'success' : 'failure',
        reason: isSuccess ? 'ok' : isHidden ? 'captcha_wrong' : 'credentials_wrong',
        ip: person.ip,
        user_agent: person.agent,
        browser: 'Firefox',
        os: 'Linux',
        platform: 'desktop',
        location: null,
        request_id: randomUUID(),
        jti: isSuccess ? randomBytes(16).toString('base64url') : null,
        instance: '00000000-0000-4000-8000-000000000001',
        method: 'password',
        credential_id: null,
      };
      return JSON.stringify((chains[random.below(instances)] as Chain).add(row));
    });
    await insertLoginRows(store, texts);
  }
  for (const { id, last } of chains) if (last.seq > 0) await signHead(store, key, id, last);
}

async function insertChanges(client: pg.Client, users: number, count: number, random: Random): Promise<void> {
  const nextId = createUuidV7Source(randomBytes);
  for (let done = 0; done < count; done += batchSize) {
    const changes = Array.from({ length: Math.min(batchSize, count - done) }, (_, n) => {
      const person = personOf(done + n < users ? done + n : random.below(users));
      const actor = personOf(random.below(users));
      return { id: nextId(Date.now()), person, actor };
    });
    await client.query(
      `insert into audit_log (id, at, actor_id, actor_name, actor_role, action, target, before, after, request_id, ip)
       select id, now(), actor_id, actor_name, 'clerk', 'user.update', target, before, before, gen_random_uuid()::text, ip
       from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::jsonb[], $6::inet[])
         as c (id, actor_id, actor_name, target, before, ip)`,
      [
        changes.map(({ id }) => id),
        changes.map(({ actor }) => actor.id),
        changes.map(({ actor }) => actor.username),
        changes.map(({ person }) => `user ${person.id}`),
        changes.map(({ person }) =>
          JSON.stringify({ name: person.name, departmentId: 1, agents: [person.agent] }),
        ),
        changes.map(({ actor }) => actor.ip),
      ],
    );
  }
}

function chainKey(): Buffer {
  const parsed = parseMasterKey(masterKey, true);
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.chain;
}
