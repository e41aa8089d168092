import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAttackFails, failIfAttackSucceeded } from '../../../../../test/weaknesses/attack.ts';
import { createChain } from '../../../src/logs/login-log/chain.ts';
import { insertAudit } from '../../logs/audit/audit-world.ts';
import { insertTexts, rowWith } from '../../logs/login-log/write-chain.ts';
import { administrator } from '../../serve-routes.ts';
import { callerOf } from '../user-world.ts';
import { type ErasureWorld, kim, mei, startErasureWorld, writeRest } from './erasure-world.ts';

let world: ErasureWorld;
beforeAll(async () => {
  world = await startErasureWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const run = async (statement: string) => {
  await sql.raw(statement).execute(world.store);
};
const rowsOf = async (statement: string) => (await sql.raw(statement).execute(world.store)).rows;

async function expectUnerased(): Promise<void> {
  expect(await rowsOf('select id from erasures')).toEqual([]);
  expect(await rowsOf(`select username, deleted_at from users where id = 7`)).toEqual([
    { username: 'mei.lindqvist', deleted_at: null },
  ]);
  expect(await rowsOf(`select id from audit_log where action = 'user.erase'`)).toEqual([]);
}

describe('an erasure', () => {
  it('is refused of oneself', async () => {
    world.caller = { ...world.caller, userId: 7 };
    expect(await world.send('POST', '/users/7/erase')).toMatchObject({ status: 200, code: 409 });
    await expectUnerased();
  });

  it('is refused of the last administrator', async () => {
    await run('update users set role_id = 1 where id = 7');
    expect(await world.send('POST', '/users/7/erase')).toMatchObject({ status: 200, code: 409 });
    await expectUnerased();
  });

  it('is refused for a person outside the data scope, and for an unknown one', async () => {
    await run('update users set department_id = 2 where id = 7');
    world.caller = callerOf('3');
    expect(await world.send('POST', '/users/7/erase')).toMatchObject({ code: 404 });
    expect(await world.send('POST', '/users/999/erase')).toMatchObject({ code: 404 });
    await expectUnerased();
  });

  it('is refused for a person whose role has more permissions', async () => {
    world.beyond = [2];
    expect(await world.send('POST', '/users/7/erase')).toMatchObject({
      code: 401,
      reason: 'permission_denied',
    });
    await expectUnerased();
  });

  it.each([
    ['to another department', 'department_id = 2'],
    ['to another role', 'role_id = 1'],
  ])('is refused for a person who was moved %s after the caller read the person', async (_name, change) => {
    world.caller = callerOf('3');
    world.beforeBegin = () => run(`update users set ${change} where id = 7`);
    const { code } = await world.send('POST', '/users/7/erase');
    expectAttackFails(code, { success: 200, failure: 409 });
    await expectUnerased();
  });

  it('is refused where another one of the same person began meanwhile', async () => {
    await run('update users set deleted_at = now(), enabled = false where id = 7');
    world.beforeBegin = async () => {
      world.beforeBegin = async () => {};
      await world.erase(7);
    };
    expect(await world.send('POST', '/users/7/erase')).toMatchObject({ status: 200, code: 409 });
    expect(await rowsOf(`select count(*)::int as n from audit_log where action = 'user.erase'`)).toEqual([
      { n: 1 },
    ]);
  });

  it('leaves nothing that names the person, keeps both chains, and leaves others as they are', async () => {
    await world.writeLogins(mei, { poisoned: true });
    await world.writeLogins(mei, { key: world.keys[1] });
    await writeRest(world.store, mei);
    const kept = await world.keepHeads();
    expect(await world.findProblems(kept)).toEqual([]);
    const before = await world.dump();
    for (const text of ['mei.lindqvist', mei.ip, mei.agent, 'seventh', 'erhu', kim.agent])
      expect(before).toContain(text);

    const receipt = await world.erase(7);

    expect(receipt).toMatchObject({ userId: 7, loginRecords: 10, auditRecords: 3, unsealed: 0 });
    expect(receipt.finishedAt).not.toBeNull();
    expect(JSON.stringify(receipt)).not.toContain('mei.lindqvist');
    expect(await world.findProblems(kept)).toEqual([]);
    const after = await world.dump();
    for (const text of ['mei.lindqvist', mei.ip, mei.agent, 'seventh', 'erhu', 'jti-mei', 'elder'])
      expect(after).not.toContain(text);
    expect(await rowsOf('select value from provider_logouts order by value')).toEqual([
      { value: 'a session' },
      { value: 'another subject' },
    ]);
    for (const text of ['kim', kim.ip, kim.agent, 'for kim', 'Department 1']) expect(after).toContain(text);
    expect(after.match(/Agent-of-kim/g)?.length).toBe(before.match(/Agent-of-kim/g)?.length);
  });

  it('keeps rows of a person who was deleted before only where they name no person', async () => {
    const { rows: tables } = await sql<{ name: string }>`
      select relname as name from pg_attribute join pg_class on pg_class.oid = attrelid
      where attname = 'user_id' and relkind in ('r', 'p') and not relispartition
        and relnamespace = current_schema()::regnamespace order by relname`.execute(world.store);
    const names = tables.map(({ name }) => name);
    const filled = async () => {
      const found = [];
      for (const name of names)
        if ((await rowsOf(`select from ${name} where user_id = 7 limit 1`)).length > 0) found.push(name);
      return found;
    };
    await world.writeLogins(mei);
    // As the rows of a person who was deleted by an earlier version: a trigger refuses credentials of a deleted user.
    await run('alter table credentials disable trigger user');
    await run('update users set deleted_at = now(), enabled = false where id = 7');
    await writeRest(world.store, mei);
    await run('alter table credentials enable trigger user');
    // A table that is new needs a row in `writeRest`.
    const others = ['erasures', 'revocations', 'user_words'];
    expect(await filled()).toEqual(names.filter((name) => !others.includes(name)));
    await world.erase(7);
    expect(await filled()).toEqual(['erasures', 'login_log', 'rule_history', 'sessions']);
    expect(await world.dump()).not.toContain('mei.lindqvist');
  });

  it('keeps user id, time and outcome of a record, and its chain position', async () => {
    await world.writeLogins(mei);
    const facts = `select id, at, user_id, role_key, outcome, reason, instance, method, chain, seq, hash from login_log order by id`;
    const before = await rowsOf(facts);
    await world.erase(7);
    expect(await rowsOf(facts)).toEqual(before);
  });

  it('keeps actor, action, time and numbers in the audit log', async () => {
    await writeRest(world.store, mei);
    await world.erase(7);
    expect(
      await rowsOf(
        `select action, target, actor_name, host(ip) as ip, before, after from audit_log where request_id = '[erased]' order by id`,
      ),
    ).toEqual([
      {
        action: 'user.create',
        target: 'user 7',
        actor_name: '李梅 😀',
        ip: '192.0.2.1',
        before: null,
        after: { username: '[erased]', name: '[erased]', departmentId: 1, enabled: true },
      },
      expect.objectContaining({
        target: 'role 2',
        actor_name: '[erased]',
        ip: '::',
        before: expect.objectContaining({ name: 'a,b:1' }),
      }),
      expect.objectContaining({ before: { userId: 7, device: '[erased]' }, actor_name: '李梅 😀' }),
    ]);
  });

  it('is recorded in the audit log without a name, at the position in the receipt', async () => {
    const { erasure, auditSeq, auditId } = await world.erase(7);
    expect(
      await rowsOf(
        `select seq, id, actor_name, target, before, after from audit_log_chain join audit_log using (id)`,
      ),
    ).toEqual([
      { seq: auditSeq, id: auditId, actor_name: 'root', target: 'user 7', before: null, after: { erasure } },
    ]);
  });

  it('accepts a person who was deleted before, also without role and department', async () => {
    await run(
      'update users set deleted_at = now(), enabled = false, role_id = null, department_id = null where id = 7',
    );
    world.caller = callerOf('3');
    expect(await world.send('POST', '/users/7/erase')).toMatchObject({ code: 404 });
    world.caller = { ...world.caller, dataScope: '1' };
    expect((await world.erase(7)).finishedAt).not.toBeNull();
    expect(await world.dump()).not.toContain('mei.lindqvist');
  });

  it('gives the same receipt again', async () => {
    await world.writeLogins(mei);
    const first = await world.erase(7);
    expect(await world.erase(7)).toEqual(first);
    expect(await rowsOf(`select count(*)::int as n from audit_log where action = 'user.erase'`)).toEqual([
      { n: 1 },
    ]);
  });

  it('makes the name available for another person', async () => {
    await world.erase(7);
    await run(
      `insert into users (username, canonical_username, department_id, role_id, password_hash) values ('mei.lindqvist', 'mei.lindqvist', 1, 2, 'h')`,
    );
  });

  it('continues after an interruption from any of its callers, and erases the name last', async () => {
    await world.writeLogins(mei, { count: 900 });
    await run(
      `create function stop_erasing() returns trigger language plpgsql as 'begin raise exception ''stopped''; end'`,
    );
    await run(
      `create trigger stop_erasing before update on erasures for each row when (new.login_records > 200) execute function stop_erasing()`,
    );
    expect(await world.send('POST', '/users/7/erase')).toMatchObject({ status: 500 });
    await run('drop trigger stop_erasing on erasures');
    expect(await rowsOf('select login_records, finished_at from erasures')).toEqual([
      { login_records: 200, finished_at: null },
    ]);
    expect(await rowsOf('select username, enabled from users where id = 7')).toEqual([
      { username: 'mei.lindqvist', enabled: false },
    ]);
    expect((await world.work.goOn(7, { isOver: () => true })).finishedAt).toBeNull();
    await world.work.finishOpen();
    expect(await world.work.goOn(7, {})).toMatchObject({ loginRecords: 450, unsealed: 0 });
    expect(await world.findProblems()).toEqual([]);
  });

  it('opens again where a record of the person comes late', async () => {
    const chain = await world.writeLogins(mei);
    await writeRest(world.store, mei);
    const { otherRows } = await world.erase(7);
    const late = rowWith({ username: 'mei.lindqvist', user_id: 7, ip: mei.ip, user_agent: mei.agent });
    await writeRest(world.store, kim);
    await insertTexts(world.store, [JSON.stringify(chain.add(late))]);
    expect(await rowsOf('select finished_at from erasures')).toEqual([{ finished_at: null }]);
    await world.work.finishOpen();
    // Of the rest nothing is left to erase.
    expect(await world.erase(7)).toMatchObject({ loginRecords: 6, otherRows });
    expect(await world.dump()).not.toContain(mei.agent);
    expect(await world.findProblems()).toEqual([]);
    expect(await rowsOf('select id from erasures where finished_at is null')).toEqual([]);
  });

  it('looks through the logs again where a record came before it was finished', async () => {
    const chain = await world.writeLogins(mei);
    const late = rowWith({ username: 'mei.lindqvist', user_id: 7, ip: mei.ip, user_agent: mei.agent });
    world.beforeFinish = async () => {
      world.beforeFinish = async () => {};
      await insertTexts(world.store, [JSON.stringify(chain.add(late))]);
    };
    expect((await world.erase(7)).finishedAt).not.toBeNull();
    failIfAttackSucceeded((await world.dump()).includes(mei.agent), 'a record of the person is left');
    expect(await world.findProblems()).toEqual([]);
  });

  it('searches the deliveries again where one was added before the end, or afterwards', async () => {
    const chain = await world.writeLogins(mei);
    const delivery = () => {
      const late = rowWith({ username: 'mei.lindqvist', user_id: 7, ip: mei.ip, user_agent: mei.agent });
      return JSON.stringify(chain.add({ ...late, browser: 'a\0b' }));
    };
    world.beforeFinish = async () => {
      world.beforeFinish = async () => {};
      await insertTexts(world.store, [delivery()]);
    };
    expect((await world.erase(7)).finishedAt).not.toBeNull();
    expect(await world.dump()).not.toContain(mei.agent);
    await insertTexts(world.store, [delivery()]);
    expect(await world.dump()).toContain(mei.agent);
    expect(await rowsOf('select finished_at from erasures')).toEqual([{ finished_at: null }]);
    await world.work.finishOpen();
    expect(await world.dump()).not.toContain(mei.agent);
    expect(await rowsOf('select id from erasures where finished_at is null')).toEqual([]);
    expect(await world.findProblems()).toEqual([]);
  });

  it('that takes longer than an answer may take goes on later, but not in an instance that ends', async () => {
    await world.writeLogins(mei);
    let asked = 0;
    world.monotonic = () => 20_001 * asked++;
    expect((await world.erase(7)).finishedAt).toBeNull();
    await world.work.finishOpen(AbortSignal.abort());
    // What was typed as the name comes second.
    expect(await world.dump()).toContain(mei.agent);
    expect(await rowsOf('select finished_at from erasures')).toEqual([{ finished_at: null }]);
    await world.work.finishOpen();
    expect(await world.dump()).not.toContain('mei.lindqvist');
  });

  it('waits for a record that is being stored, and erases it', async () => {
    const chain = await world.writeLogins(mei);
    await world.erase(7);
    await run('update erasures set finished_at = null');
    const late = rowWith({ username: 'mei.lindqvist', user_id: 7, ip: mei.ip, user_agent: mei.agent });
    const finished = await world.store.transaction().execute(async (transaction) => {
      await insertTexts(transaction, [JSON.stringify(chain.add(late))]);
      const finishing = world.work.finishOpen();
      const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(() => rowsOf(waiting)).not.toEqual([]);
      return { finishing };
    });
    await finished.finishing;
    expect(await world.dump()).not.toContain(mei.agent);
    expect(await rowsOf('select id from erasures where finished_at is null')).toEqual([]);
  });

  it('forgets the failed logins under the name', async () => {
    await world.erase(7);
    expect(world.forgiven).toEqual(['mei.lindqvist']);
  });

  it('takes the mails that were asked for with the address, and no others', async () => {
    await run(`update users set mail = 'mei@example.com' where id = 7`);
    await run(`update users set mail = 'kim@example.com' where id = 8`);
    await run(`insert into mails (kind, user_id, address, state) values ('password_forgotten', null, 'Mei@Example.com', 'queued'),
      ('password_forgotten', null, 'mei@example.com', 'dead'), ('password_forgotten', 7, 'mei@example.com', 'queued'),
      ('password_forgotten', null, 'kim@example.com', 'queued'), ('password_changed', 8, 'mei@example.com', 'queued')`);
    await world.erase(7);
    const mails = await rowsOf('select user_id, address from mails order by user_id');
    failIfAttackSucceeded(mails.length > 2, 'a mail to the person is left');
    expect(mails).toEqual([
      { user_id: 8, address: 'mei@example.com' },
      { user_id: null, address: 'kim@example.com' },
    ]);
  });

  it('is finished beside one that fails', async () => {
    await world.writeLogins(mei);
    await run(
      `create function fail_of_seven() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$;
       create trigger fail_of_seven before update on erasures for each row when (new.user_id = 7) execute function fail_of_seven()`,
    );
    expect(await world.send('POST', '/users/7/erase')).toMatchObject({ status: 500 });
    await world.erase(8);
    await run('update erasures set finished_at = null where user_id = 8');
    await expect(world.work.finishOpen()).rejects.toThrow('could not be finished');
    await run('drop trigger fail_of_seven on erasures; drop function fail_of_seven');
    expect(await rowsOf('select user_id from erasures where finished_at is null')).toEqual([{ user_id: 7 }]);
  });

  it('is finished while another one is locked', async () => {
    await world.erase(8);
    await world.store.transaction().execute(async (transaction) => {
      await sql`select from erasures where user_id = 8 for update`.execute(transaction);
      expect((await world.erase(7)).finishedAt).not.toBeNull();
    });
  });

  it.each([
    ['what a provider said', 'delete on provider_logouts', ''],
    ['its record', 'insert on audit_log', `when (new.action = 'user.erase')`],
    ['a record that was put aside', 'update on login_log_dead_letters', ''],
    ['its end', 'update on erasures', 'when (new.finished_at is not null)'],
  ])('is not finished where the database refuses to change %s', async (_what, event, when) => {
    await world.writeLogins(mei, { poisoned: true });
    await writeRest(world.store, mei);
    await run(`create function refuse_write() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
      create trigger refuse_write before ${event} for each row ${when} execute function refuse_write()`);
    try {
      expect(await world.send('POST', '/users/7/erase')).toMatchObject({ status: 500 });
    } finally {
      await run('drop function refuse_write cascade');
    }
    expect(await rowsOf('select id from erasures where finished_at is not null')).toEqual([]);
    expect((await world.erase(7)).finishedAt).not.toBeNull();
  });

  it('is not finished where the failed logins under the name are not forgotten', async () => {
    world.beforeFinish = async () => {
      throw new Error('cut off');
    };
    expect(await world.send('POST', '/users/7/erase')).toMatchObject({ status: 500 });
    expect(await rowsOf('select finished_at from erasures')).toEqual([{ finished_at: null }]);
  });

  it('is not found before it begins', async () => {
    await expect(world.work.goOn(7, {})).rejects.toMatchObject({ kind: 'record_not_found' });
  });

  it('looks through the logs once where nothing comes meanwhile, and keeps its receipt', async () => {
    const receipt = await world.erase(7);
    await run('update erasures set finished_at = null');
    const batches: number[] = [];
    await world.work.goOn(7, { onProgress: (records) => void batches.push(records) });
    expect(batches).toEqual([0]);
    await run(`update erasures set finished_at = '${receipt.finishedAt}'`);
    await world.work.finishOpen();
    expect(await world.erase(7)).toEqual(receipt);
  });

  it('has a new record where the person was erased before a restore', async () => {
    const first = await world.erase(7);
    await run(`delete from erasures;
      update users set username = 'mei.lindqvist', canonical_username = 'mei.lindqvist', deleted_at = null where id = 7`);
    const second = await world.erase(7);
    expect(second.auditSeq).toBe(Number(first.auditSeq) + 1);
  });

  it('keeps when a person was deleted before', async () => {
    await run(`update users set deleted_at = '2026-01-01', enabled = false where id = 7`);
    const deleted = 'select deleted_at, epoch from users where id = 7';
    const before = await rowsOf(deleted);
    await world.erase(7);
    expect(await rowsOf(deleted)).toEqual(before);
  });

  it('continues to its end, and shows the caller its progress', async () => {
    const shown: number[] = [];
    const patient = await startErasureWorld((records) => void shown.push(records));
    try {
      await patient.reset();
      await patient.writeLogins(mei);
      let asked = 0;
      patient.monotonic = () => 20_001 * asked++;
      expect((await patient.erase(7)).finishedAt).not.toBeNull();
      expect(shown.reduce((sum, records) => sum + records, 0)).toBe(5);
    } finally {
      await patient.close();
    }
  });

  it('is finished behind a page of rows that are not acted on', async () => {
    await world.writeLogins(mei);
    await run(
      `insert into erasures (id, user_id, reference, at, signature)
       select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 1000 + n, sha256(n::text::bytea), now(), sha256(n::text::bytea)
       from generate_series(1, 25) as n`,
    );
    await world.erase(7);
    await run('update erasures set finished_at = null where user_id = 7');
    await world.work.finishOpen();
    expect(await rowsOf('select user_id from erasures where finished_at is not null')).toEqual([
      { user_id: 7 },
    ]);
  });

  it('is ignored when its row was inserted into the database by hand', async () => {
    await world.writeLogins(mei);
    const { rows } = await sql<{ n: number }>`
      insert into erasures (id, user_id, reference, at, signature)
      values (${randomUUID()}, 7, ${randomBytes(16)}, now(), ${randomBytes(32)}) returning 1 as n`.execute(
      world.store,
    );
    expect(rows).toHaveLength(1);
    await world.work.finishOpen();
    expect(await world.dump()).toContain(mei.agent);
    expect(await rowsOf('select id from login_log where erasure is not null')).toEqual([]);
  });

  it('of one person is not accepted for another after a change of its user id', async () => {
    await world.writeLogins(mei);
    await world.erase(8);
    await run('update erasures set user_id = 7, finished_at = null');
    await world.work.finishOpen();
    expect(await world.dump()).toContain(mei.agent);
  });
});

describe('a record that was changed before its erasure', () => {
  it('of the login log gets no seal, and is named still', async () => {
    await world.writeLogins(mei);
    await run(
      `update login_log set reason = 'throttled' where id = (select id from login_log where user_id = 7 order by id limit 1)`,
    );
    const before = await world.findProblems();
    expect(before).toMatchObject([{ what: 'changed' }]);
    expect(await world.erase(7)).toMatchObject({ unsealed: 1 });
    expect(await world.findProblems()).toEqual(before);
    expect(await world.dump()).not.toContain(mei.agent);
  });

  it('to have a seal already gets none', async () => {
    await world.writeLogins(mei);
    await run(`update login_log set seal = hash where seq = 3`);
    const before = await world.findProblems();
    expect(before).toMatchObject([{ seq: 3, what: 'changed' }]);
    expect(await world.erase(7)).toMatchObject({ unsealed: 1 });
    expect(await world.findProblems()).toEqual(before);
  });

  it('that was rejected gets no seal, although the change has no effect', async () => {
    await world.writeLogins(mei, { poisoned: true });
    await run(`update login_log_dead_letters set raw = raw || '\\x20'`);
    const before = await world.findProblems();
    expect(before).toMatchObject([{ seq: 3, what: 'changed' }]);
    expect(await world.erase(7)).toMatchObject({ unsealed: 1 });
    expect(await world.findProblems()).toEqual(before);
  });

  it('does not keep the seal from the record behind it', async () => {
    await world.writeLogins(mei);
    await run(
      `update login_log set id = (select overlay(id::text placing '000000000000' from 25)::uuid from login_log where seq = 3) where seq = 6`,
    );
    const before = await world.findProblems();
    expect(before).toMatchObject([{ seq: 6, what: 'added' }]);
    expect(await world.erase(7)).toMatchObject({ unsealed: 0 });
    expect(await world.findProblems()).toEqual(before);
  });

  it('of the audit log gets no seal, and is named still', async () => {
    await writeRest(world.store, mei);
    const kept = await world.keepHeads();
    await run(`update audit_log set action = 'user.update' where action = 'user.create'`);
    expect(await world.findProblems(kept)).toMatchObject([{ seq: 1, what: 'changed' }]);
    expect(await world.erase(7)).toMatchObject({ unsealed: 1 });
    expect(await world.findProblems(kept)).toMatchObject([{ seq: 1, what: 'changed' }]);
  });
});

it.each([
  [7, 8],
  [8, 7],
])('a record that names two people is erased for each of them: %i, then %i', async (first, second) => {
  await insertAudit(world.store, {
    actor_id: 7,
    actor_name: mei.username,
    ip: mei.ip,
    target: 'user 8',
    before: JSON.stringify({ name: 'Kim the eighth' }),
  });
  const kept = await world.keepHeads();
  await world.erase(first);
  expect(await world.findProblems(kept)).toEqual([]);
  await world.erase(second);
  expect(await world.findProblems(kept)).toEqual([]);
  const after = await world.dump();
  for (const text of [mei.username, mei.ip, 'eighth']) expect(after).not.toContain(text);
});

it('erases the name of the person in the records of erasures that the person made', async () => {
  world.caller = { ...world.caller, userId: 7, username: mei.username };
  await world.erase(8);
  world.caller = administrator;
  await world.erase(7);
  expect(await world.dump()).not.toContain(mei.username);
  expect(await world.findProblems()).toEqual([]);
});

describe('reports a forged erasure:', () => {
  const blank = `username = '[erased]', ip = null, user_agent = null, browser = null, os = null, platform = null, location = null, request_id = '[erased]', jti = null`;
  const ofKim = `(select id from login_log where user_id = 8 order by id limit 1)`;
  const ofMei = `(select id from login_log where user_id = 7 order by id limit 1)`;
  it.each([
    [
      'a record without a seal',
      `update login_log set ${blank}, erasure = (select id from erasures) where id = ${ofKim}`,
    ],
    ['a record without a seal or an erasure', `update login_log set ${blank} where id = ${ofKim}`],
    [
      'a record with the seal of another',
      `update login_log set ${blank}, erasure = other.erasure, seal = other.seal from (select * from login_log where id = ${ofMei}) as other where login_log.id = ${ofKim}`,
    ],
    [
      'a record with its hash as the seal',
      `update login_log set ${blank}, erasure = (select id from erasures), seal = hash where id = ${ofKim}`,
    ],
    [
      'an erased record with another outcome',
      `update login_log set outcome = 'failure', reason = 'throttled' where id = ${ofMei}`,
    ],
    [
      'an erased record with another time',
      `update login_log set at = at + interval '1 microsecond' where id = ${ofMei}`,
    ],
    ['an erased record of another account', `update login_log set user_id = 8 where id = ${ofMei}`],
    [
      'an erased record of another erasure',
      `update login_log set erasure = gen_random_uuid() where id = ${ofMei}`,
    ],
    ['an erased record with a name in it', `update login_log set username = 'kim' where id = ${ofMei}`],
    ['an erased record without its seal', `update login_log set seal = null where id = ${ofMei}`],
    [
      'a readable record that is said to be erased',
      `update login_log set erasure = (select id from erasures) where id = ${ofKim}`,
    ],
  ])('%s', async (_name, statement) => {
    await world.writeLogins(mei);
    await world.erase(7);
    expect(await world.findProblems()).toEqual([]);
    await run(statement);
    expect(await world.findProblems()).toMatchObject([{ what: 'changed' }]);
  });

  it.each([
    ['a place without a seal', `update audit_log_chain set erasure = gen_random_uuid() where seq = 4`],
    [
      'a place with the seal of another',
      `update audit_log_chain as one set erasure = other.erasure, seal = other.seal from audit_log_chain as other where one.seq = 4 and other.seq = 1`,
    ],
    [
      'an erased record with another actor',
      `update audit_log set actor_id = 10 where id = (select id from audit_log_chain where seq = 1)`,
    ],
    [
      'an erased record with a name in it',
      `update audit_log set after = '{"username": "kim"}' where id = (select id from audit_log_chain where seq = 1)`,
    ],
    ['an erased record without its seal', `update audit_log_chain set seal = null where seq = 1`],
  ])('in the audit log: %s', async (_name, statement) => {
    await writeRest(world.store, mei);
    await world.erase(7);
    expect(await world.findProblems()).toEqual([]);
    await run(statement);
    expect(await world.findProblems()).toMatchObject([{ what: 'changed' }]);
  });
});

describe('an export', () => {
  const read = async (id: number) => (await world.send('GET', `/users/${id}/export`)).body;

  it('is refused for a person outside the data scope', async () => {
    await run('update users set department_id = 2 where id = 7');
    world.caller = callerOf('3');
    expect(await read(7)).toMatchObject({ code: 404 });
  });

  it('is answered with 404 for an unknown person', async () => {
    expect(await read(999)).toMatchObject({ code: 404 });
  });

  it('has all that is stored about a person, and no secret', async () => {
    await world.writeLogins(mei);
    await writeRest(world.store, mei);
    await writeRest(world.store, kim);
    const exported = await read(7);
    const own = { sessions: 1, factors: 2, accessRequests: 1, ruleChanges: 1, mails: 1 };
    for (const [name, count] of Object.entries(own)) expect(exported[name], name).toHaveLength(count);
    expect(exported).toMatchObject({
      complete: true,
      account: { username: 'mei.lindqvist', name: 'Mei of the seventh', introduction: 'plays the erhu' },
      sessions: [{ ip: mei.ip, userAgent: mei.agent }],
      factors: [{ name: 'Phone of mei.lindqvist' }, { kind: 'link' }],
      accessRequests: [{ reason: 'mei.lindqvist needs it' }],
    });
    expect(exported.loginRecords).toHaveLength(5);
    expect(exported.auditRecords).toHaveLength(3);
    expect(JSON.stringify(exported)).not.toMatch(/kim|hash|sealed/i);
  });

  it('within a data scope leaves out what was only typed as the name', async () => {
    await world.writeLogins(mei);
    const all = (await read(7)).loginRecords as unknown[];
    world.caller = callerOf('3');
    const exported = await read(7);
    expect(exported).toMatchObject({ complete: false, account: { username: 'mei.lindqvist' } });
    expect(all).toHaveLength(5);
    failIfAttackSucceeded((exported.loginRecords as unknown[]).length > 4, 'a record of another is read');
    expect(exported.loginRecords).toHaveLength(4);
    expect((exported.loginRecords as { user_id: number }[]).map((row) => row.user_id)).toEqual([7, 7, 7, 7]);
  });

  it('within a data scope leaves out what others outside the scope changed', async () => {
    await run('update users set department_id = 2 where id = 8');
    const [inner, outer] = [7, 8].map((actor_id) => ({ actor_id, target: 'user 7' }));
    await insertAudit(world.store, inner);
    await insertAudit(world.store, outer);
    expect((await read(7)).auditRecords).toHaveLength(2);
    world.caller = { ...callerOf('3'), userId: 9 };
    const records = (await read(7)).auditRecords as unknown[];
    failIfAttackSucceeded(records.length > 1, 'a change by a person outside is read');
    expect(records).toMatchObject([{ actorId: 7 }]);
  });

  it('contains nothing of an erased person', async () => {
    await world.writeLogins(mei);
    await world.erase(7);
    const exported = await read(7);
    expect(exported.loginRecords).toEqual([]);
    expect(JSON.stringify(exported)).not.toMatch(/lindqvist|Agent/);
  });
});

it('a chain whose first record is erased goes on under either master key', async () => {
  for (const key of world.keys) {
    const chain = createChain(key, randomUUID());
    const rows = [
      rowWith({ user_id: 7, username: 'mei.lindqvist' }),
      rowWith({ user_id: 8, username: 'kim' }),
    ];
    await insertTexts(
      world.store,
      rows.sort((a, b) => (a.id < b.id ? -1 : 1)).map((row) => JSON.stringify(chain.add(row))),
    );
  }
  await world.erase(7);
  expect(await world.findProblems()).toEqual([]);
});
