// A person with records of every kind, among others who must stay as they are; and the routes that erase.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { AppError, type Caller, type ErasureReceipt } from '@portcullis/contract';
import { sql } from 'kysely';
import { findDeployment } from '../../../src/cluster/store/deployment.ts';
import type { Store } from '../../../src/cluster/store/store.ts';
import { createUuidV7Source } from '../../../src/cluster/store/uuid-v7.ts';
import { composeErasure, nameSpellingsOf } from '../../../src/compose/erasure.ts';
import type { LoginParts } from '../../../src/compose/login.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { signAuditEnd } from '../../../src/logs/audit/sign-audit-head.ts';
import type { KeptHeads } from '../../../src/logs/evidence/kept-heads.ts';
import { collectHeads, verifyAudit, verifyLoginLog } from '../../../src/logs/evidence/verify.ts';
import { type Chain, createChain } from '../../../src/logs/login-log/chain.ts';
import type { LoginRow } from '../../../src/logs/login-log/login-row.ts';
import { createPseudonymize } from '../../../src/logs/login-log/pseudonym.ts';
import type { ErasureWork } from '../../../src/people/erasure/erasure-work.ts';
import { erasureRoutes } from '../../../src/people/erasure/routes.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase } from '../../fresh-database.ts';
import { insertAudit } from '../../logs/audit/audit-world.ts';
import { insertTexts, rowWith, signHead } from '../../logs/login-log/write-chain.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

export interface ErasureWorld {
  readonly url: string;
  readonly store: Store;
  readonly keys: readonly [Buffer, Buffer];
  readonly work: ErasureWork;
  readonly send: ServedRoutes['send'];
  caller: Caller;
  /** Whom the caller may not reach. */
  beyond: readonly number[];
  /** What happens once the person was looked up, and before the erasure is begun. */
  beforeBegin: () => Promise<unknown>;
  /** What happens once both logs were looked through, and before the erasure is finished. */
  beforeFinish: () => Promise<unknown>;
  /** The clock of a request. */
  monotonic: () => number;
  /** Usernames whose failed logins were forgotten. */
  forgiven: string[];
  erase(id: number): Promise<ErasureReceipt>;
  /** A chain of so many records: of the person, of another person, and under the person's name without an account. */
  writeLogins(person: Person, options?: LoginOptions): Promise<Chain>;
  /** What `log verify` finds, with the heads that were kept before. */
  findProblems(kept?: KeptHeads): Promise<unknown[]>;
  keepHeads(): Promise<KeptHeads>;
  /** All rows of all tables, as texts. */
  dump(): Promise<string>;
  /** As it is at the beginning of every test: a separate database for each would take longer. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface Person {
  readonly id: number;
  readonly username: string;
  readonly ip: string;
  readonly agent: string;
}

interface LoginOptions {
  readonly count?: number;
  readonly key?: Buffer;
  /** The second record of the person is one that the table refuses. */
  readonly poisoned?: boolean;
}

export const mei: Person = {
  id: 7,
  username: 'mei.lindqvist',
  ip: '198.51.100.77',
  agent: 'Agent-of-mei/7.7',
};
export const kim: Person = { id: 8, username: 'kim', ip: '203.0.113.88', agent: 'Agent-of-kim/8.8' };

/** `onErased`: told after every batch, as of a caller who waits for the end. */
export async function startErasureWorld(onErased?: (records: number) => void): Promise<ErasureWorld> {
  const database = await createFreshDatabase();
  const { store } = database;
  const keys = [randomBytes(32), randomBytes(32)] as const;
  const nameKey = randomBytes(32);
  const hideName = createPseudonymize(nameKey);
  const config = { chainKeys: keys, nameKeys: [nameKey] } as const;
  const namesOf = nameSpellingsOf(config);
  const nextId = createUuidV7Source(randomBytes);
  const throttle: Pick<LoginParts['throttle'], 'forgive'> = {
    async forgive(username) {
      world.forgiven.push(username);
      await world.beforeFinish();
    },
  };
  const work = composeErasure({ store, config, login: { throttle: throttle as LoginParts['throttle'] } });
  const access = createAccessStandIn(store);
  const routes = erasureRoutes({
    store,
    access: {
      ...access,
      async takeAway(call, change) {
        await world.beforeBegin();
        return await access.takeAway(call, change);
      },
    },
    recordChange: createRecordChange(),
    canManage: {
      async ofUser(_transaction, _caller, _id, states) {
        if (states.some(({ roleId }) => world.beyond.includes(roleId)))
          throw new AppError('permission_denied');
      },
      ofEverybody() {},
    },
    listDepartments: async () => [1],
    keys,
    namesOf,
    work,
    now: Date.now,
    monotonic: () => world.monotonic(),
    ...(onErased === undefined ? {} : { onErased }),
  });
  const served = serveRoutes(routes, () => world.caller);

  function rowOf(n: number, { id, username, ip, agent }: Person): LoginRow {
    const at = Date.now();
    const own = {
      id: nextId(at),
      user_agent: agent,
      ip,
      request_id: randomUUID(),
      jti: `jti-${username}-${n}`,
    };
    if (n % 3 === 1) return rowWith({ ...own, username: hideName(username), user_id: null, jti: null }, at);
    return rowWith({ ...own, username, user_id: id }, at);
  }

  const world: ErasureWorld = {
    url: database.url,
    store,
    keys,
    work,
    send: served.send,
    caller: administrator,
    beyond: [],
    beforeBegin: async () => {},
    beforeFinish: async () => {},
    monotonic: () => 0,
    forgiven: [],
    async erase(id) {
      const { code, data, body } = await served.send('POST', `/users/${id}/erase`);
      if (code !== 200) throw new Error(JSON.stringify([body, served.faults.map(String)]));
      return data as ErasureReceipt;
    },
    async writeLogins(person, { count = 9, key = keys[0], poisoned = false } = {}) {
      const chain = createChain(key, randomUUID());
      const texts = Array.from({ length: count }, (_, n) => {
        const row = rowOf(n, n % 2 === 0 ? person : kim);
        return JSON.stringify(chain.add(poisoned && n === 2 ? { ...row, browser: 'a\0b' } : row));
      });
      await insertTexts(store, texts);
      await signHead(store, key, chain.id, chain.last);
      return chain;
    },
    async findProblems(kept) {
      const login = await verifyLoginLog(store, { keys, kept });
      const audit = await verifyAudit(store, { keys, kept });
      return [...login.problems, ...audit.problems];
    },
    async keepHeads() {
      const audit = await signAuditEnd(store, { keys, deployment: await findDeployment(store) });
      return { ...(await collectHeads(store, keys)), audit: [audit] };
    },
    async dump() {
      const { rows: tables } = await sql<{ name: string }>`
        select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
          and not relispartition`.execute(store);
      const texts: string[] = [];
      for (const { name } of tables) {
        const { rows } = await sql<{
          text: string;
        }>`select t::text as text from ${sql.table(name)} as t`.execute(store);
        texts.push(...rows.map(({ text }) => `${name} ${readable(text)}`));
      }
      return texts.join('\n');
    },
    async reset() {
      await empty(store);
      await seedDirectory(store);
      await sql`update users set username = ${mei.username}, canonical_username = ${mei.username},
        nick_name = 'Mei of the seventh', introduction = 'plays the erhu' where id = ${mei.id}`.execute(
        store,
      );
      Object.assign(world, {
        ...{ caller: administrator, beyond: [], forgiven: [], monotonic: () => 0 },
        ...{ beforeBegin: async () => {}, beforeFinish: async () => {} },
      });
    },
    async close() {
      await served.close();
      await database.drop();
    },
  };
  return world;
}

async function empty(store: Store): Promise<void> {
  await sql`truncate departments, roles, users, login_log, login_log_dead_letters, login_log_heads, login_log_counts,
    audit_log, audit_log_chain, audit_log_heads, erasures, sessions, credentials, recovery_codes, access_requests,
    rule_history, temporary_rules, user_words, mails, providers, provider_logouts, login_attempts, link_attempts cascade`.execute(
    store,
  );
  await sql`update audit_log_end set seq = 0,
    hash = sha256(convert_to('portcullis audit log 1 ' || (select id from deployment), 'UTF8'))`.execute(
    store,
  );
}

/** What a column of bytes says, beside its digits. */
function readable(text: string): string {
  const bytes = [...text.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, digits = '']) =>
    Buffer.from(digits, 'hex').toString(),
  );
  return [text, ...bytes].join(' ');
}

/** What others have about the person, and what the person has. */
export async function writeRest(store: Store, { id, username, ip, agent }: Person): Promise<void> {
  const hour = 3_600_000;
  await store
    .insertInto('sessions')
    .values({
      jti: randomUUID(),
      user_id: id,
      role_key: 'editor',
      kid: 'k',
      epoch: 1,
      ip,
      user_agent: agent,
      issued_at: new Date(),
      expires_at: new Date(Date.now() + hour),
      method: 'password',
      factor: 3,
    })
    .execute();
  await store
    .insertInto('credentials')
    .values({ user_id: id, kind: 'totp', factor: 2, name: `Phone of ${username}` })
    .execute();
  const hash = createHash('sha256').update(username).digest();
  await store.insertInto('recovery_codes').values({ user_id: id, hash }).execute();
  await writeLink(store, id, username);
  for (const statement of [
    sql`insert into enrolment_codes (user_id, hash, expires_at) values (${id}, ${hash}, now() + interval '1 hour')`,
    sql`insert into password_codes (id, user_id, kind, hash, expires_at)
      values (gen_random_uuid(), ${id}, 'reset', ${hash}, now() + interval '1 hour')`,
    sql`insert into login_attempts (handle_hash, captcha_mac, user_id, expires_at)
      values (${hash}, ${hash}, ${id}, now() + interval '1 hour')`,
    sql`insert into mails (kind, user_id, address) values ('password_reset', ${id}, ${`${username}@example.com`})`,
  ])
    await statement.execute(store);
  const request = { method: 'GET', path: '/a', pattern: '/a', seconds: 60 } as const;
  await store
    .insertInto('access_requests')
    .values([
      { ...request, user_id: id, reason: `${username} needs it` },
      {
        ...request,
        path: `/a/${id}`,
        user_id: 8,
        reason: 'for kim',
        answered_by: username,
        answered_at: new Date(),
      },
    ])
    .execute();
  await sql`insert into rule_history (role_id, revision, user_id, username, added, removed)
    values (2, ${id}, ${id}, ${username}, '[]', '[]')`.execute(store);
  await sql`insert into temporary_rules (role_id, path, method, ends_at, given_by)
    values (2, ${`/b/${id}`}, 'GET', now() + interval '1 hour', ${username})`.execute(store);
  const byOther = { actor_id: 9 };
  const about = { username, name: `${username} the elder`, departmentId: 1, enabled: true };
  await insertAudit(store, {
    ...byOther,
    target: `user ${id}`,
    action: 'user.create',
    before: null,
    after: JSON.stringify(about),
  });
  await insertAudit(store, { actor_id: id, actor_name: username, ip, target: 'role 2', request_id: 'r-own' });
  await insertAudit(store, {
    ...byOther,
    action: 'session.end',
    target: 'session abc',
    before: JSON.stringify({ userId: id, device: agent }),
  });
  await insertAudit(store, { ...byOther, target: 'user 8' });
}

/** An account at a provider, and what the provider said of it. */
async function writeLink(store: Store, id: number, username: string): Promise<void> {
  const subject = `subject of ${username}`;
  const { rows } = await sql<{ provider: number }>`
    insert into providers (key, kind, name, settings) values ('example', 'oidc', 'Example', '{}')
    on conflict (key) do update set name = excluded.name returning id as provider`.execute(store);
  const provider = rows[0]?.provider ?? 0;
  const hash = createHash('sha256').update(subject).digest();
  for (const statement of [
    sql`insert into credentials (user_id, kind, factor, subject, provider_id) values (${id}, 'link', 1, ${subject}, ${provider})`,
    sql`insert into link_invitations (user_id, provider_id, hash, expires_at)
      values (${id}, ${provider}, ${hash}, now() + interval '1 hour')`,
    sql`insert into link_attempts (handle_hash, user_id, provider_id, jti, expires_at)
      values (${hash}, ${id}, ${provider}, 'jti', now() + interval '1 hour')`,
    sql`insert into provider_logouts (provider_id, kind, value, ended_at, expires_at)
      select ${provider}, kind, value, now(), now() + interval '1 hour' from (values
        ('subject', ${subject}), ('unnamed', ${subject}), ('session', 'a session'), ('subject', 'another subject')
      ) as said (kind, value) on conflict do nothing`,
    sql`update sessions set provider_session = ${`session of ${username}`} where user_id = ${id}`,
  ])
    await statement.execute(store);
}
