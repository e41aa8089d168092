// Tamperings that disguise a change as an erasure, and tamperings with erased records.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Tampering } from './tamperings.ts';

const blank = `username = '[erased]', ip = null, user_agent = null, browser = null, os = null, platform = null,
  location = null, request_id = '[erased]', jti = null`;

interface Found {
  readonly id: string;
  readonly seq: number;
}

/** A record of the chain that was erased, or one that was not. */
async function pick({ client, random, target }: Parameters<Tampering>[0], isErased: boolean) {
  const { rows } = await client.query<Found>(
    `select id, seq::int from login_log where chain = $1 and (erasure is not null) = $2 order by seq`,
    [target.chain, isErased],
  );
  return rows.length === 0 ? undefined : random.pick(rows);
}

/** Where there is such a record. */
function ofRecord(
  isErased: boolean,
  change: (aim: Parameters<Tampering>[0], row: Found) => Promise<number | undefined>,
): Tampering {
  return async (aim) => {
    const row = await pick(aim, isErased);
    if (row === undefined) return undefined;
    const changed = await change(aim, row);
    return changed === 0 ? undefined : { seq: row.seq, id: row.id };
  };
}

const anErasure = '(select id from erasures order by id limit 1)';
const otherSeal = `(select seal from login_log where seal is not null and chain = $2 order by id limit 1)`;

export const poseTamperings: Readonly<Record<string, Tampering>> = {
  'pose: make a record unreadable': ofRecord(false, async ({ client, random }, { id }) => {
    const seal = random.pick(['null', 'hash', `'\\x${randomBytes(32).toString('hex')}'`]);
    const erasure = random.pick(['null', anErasure]);
    const { rowCount } = await client.query(
      `update login_log set ${blank}, erasure = ${erasure}, seal = ${seal} where id = $1`,
      [id],
    );
    return rowCount ?? 0;
  }),
  'pose: make a record unreadable with the seal of another': ofRecord(
    false,
    async ({ client, random, target, other }, { id }) => {
      const { chain } = random.pick([target, other]);
      const { rowCount } = await client.query(
        `update login_log set ${blank}, erasure = (select erasure from login_log where seal is not null and chain = $2 order by id limit 1),
           seal = ${otherSeal} where id = $1 and ${otherSeal} is not null`,
        [id, chain],
      );
      return rowCount ?? 0;
    },
  ),
  'pose: mark a readable record as erased': ofRecord(false, async ({ client }, { id }) => {
    const { rowCount } = await client.query(`update login_log set erasure = ${anErasure} where id = $1`, [
      id,
    ]);
    return rowCount ?? 0;
  }),
  'pose: change the rest of an erased record': ofRecord(true, async ({ client, random }, { id }) => {
    const change = random.pick([
      `outcome = case outcome when 'success' then 'failure' else 'success' end`,
      `reason = reason || '.'`,
      `at = at + interval '1 microsecond'`,
      'user_id = coalesce(user_id, 0) + 1',
      `role_key = 'admin' || coalesce(role_key, '')`,
      'instance = gen_random_uuid()',
      `method = 'x' || coalesce(method, '')`,
      'credential_id = coalesce(credential_id, 0) + 1',
    ]);
    const { rowCount } = await client.query(`update login_log set ${change} where id = $1`, [id]);
    return rowCount ?? 0;
  }),
  'pose: put something into an erased record': ofRecord(true, async ({ client, random }, { id }) => {
    const change = random.pick([
      `username = 'mallory'`,
      'username = null',
      `ip = '192.0.2.66'`,
      `user_agent = ''`,
      `request_id = 'r-1'`,
      `jti = 'j'`,
      `location = 'NZ'`,
    ]);
    const { rowCount } = await client.query(`update login_log set ${change} where id = $1`, [id]);
    return rowCount ?? 0;
  }),
  'pose: change the seal or the erasure of an erased record': ofRecord(
    true,
    async ({ client, random }, { id }) => {
      const change = random.pick([
        'seal = null',
        'seal = hash',
        `seal = '\\x${randomBytes(32).toString('hex')}'`,
        'erasure = null',
        `erasure = '${randomUUID()}'`,
        'seal = null, erasure = null',
      ]);
      const { rowCount } = await client.query(`update login_log set ${change} where id = $1`, [id]);
      return rowCount ?? 0;
    },
  ),
  'pose: invent an erased record again': ofRecord(true, async ({ client }, { id }) => {
    const { rowCount } = await client.query(
      `update login_log set username = 'mallory', ip = '192.0.2.66', user_agent = 'x', request_id = 'r-1',
         erasure = null, seal = null where id = $1`,
      [id],
    );
    return rowCount ?? 0;
  }),
  'pose: exchange the seals of two erased records': async ({ client, target }) => {
    const { rows } = await client.query<Found>(
      'select id, seq::int from login_log where chain = $1 and seal is not null order by seq limit 2',
      [target.chain],
    );
    const [one, other] = rows;
    if (one === undefined || other === undefined) return undefined;
    await client.query(
      `update login_log set seal = twin.seal from (select id, seal from login_log where id in ($1, $2)) as twin
       where login_log.id in ($1, $2) and twin.id <> login_log.id`,
      [one.id, other.id],
    );
    return { seq: one.seq, id: one.id };
  },
  'pose: change a record and have the person erased': async (aim) => {
    const row = await pick(aim, false);
    if (row === undefined) return undefined;
    const change = aim.random.pick([
      `reason = 'throttled'`,
      `at = at + interval '1 second'`,
      `ip = '192.0.2.66'`,
    ]);
    const { rows } = await aim.client.query<{ user_id: number }>(
      `update login_log set ${change} where id = $1 and user_id is not null returning user_id::int`,
      [row.id],
    );
    const [person] = rows;
    if (person === undefined) return undefined;
    await aim.erase(person.user_id);
    return { seq: row.seq, id: row.id };
  },
};
