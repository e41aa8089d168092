// Tamperings with the login log by an attacker with every right in the database, and without the master key. Each touches
// one chain (and may need another one), and says which record of it must be named.
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Random } from '../fuzz/random.ts';
import type { ChainPlaces, Place } from './log-copy.ts';

export interface Aim {
  readonly client: pg.Client;
  readonly random: Random;
  readonly target: ChainPlaces;
  /** One that no other tampering touches at the same time. */
  readonly other: ChainPlaces;
  /** Has the service erase a person. */
  readonly erase: (userId: number) => Promise<void>;
}

/** What must be found in the chain. */
export interface Expected {
  /** The record that must be named; none where a head is at fault. */
  readonly seq?: number;
  readonly id?: string;
  readonly what?: string;
}

/** Undefined where it cannot be done to this chain. */
export type Tampering = (aim: Aim) => Promise<Expected | undefined>;

const texts = ['username', 'role_key', 'user_agent', 'browser', 'os', 'platform', 'location', 'jti'];
const requiredTexts = ['reason', 'request_id'];
const columns = [
  ...texts,
  ...requiredTexts,
  'at',
  'user_id',
  'outcome',
  'ip',
  'instance',
  'seq',
  'hash',
  'erasure',
  'seal',
];

export const tamperings: Readonly<Record<string, Tampering>> = {
  'change a column': async (aim) => await changeColumn(aim, aim.random.pick(columns)),
  'change a text by one character': async (aim) => {
    const row = pickRow(aim);
    const column = aim.random.pick([...texts, ...requiredTexts]);
    const changed = await update(
      aim,
      `${column} = overlay(${column} placing '#' from 1 for 1)`,
      row,
      `${column} <> ''`,
    );
    return changed ? named(row) : undefined;
  },
  'change the time by less than a millisecond': async (aim) => {
    const row = pickRow(aim);
    await update(aim, `at = at + interval '${1 + aim.random.below(999)} microseconds'`, row);
    return named(row);
  },
  'change an id': async (aim) => {
    const row = pickRow(aim);
    const place = aim.random.pick([aim.target, aim.other].flatMap(({ places }) => places));
    const id = aim.random.once(2)
      ? randomUUID()
      : `${place.id.slice(0, 24)}${randomBytes(6).toString('hex')}`;
    await update(aim, `id = '${id}'`, row);
    return { seq: row.seq };
  },
  'remove a record': async (aim) => {
    const row = aim.random.pick(aim.target.places);
    await remove(aim, [row]);
    return { seq: row.seq, what: 'removed' };
  },
  'remove records in a row': async (aim) => {
    const from = aim.random.below(aim.target.places.length);
    const removed = aim.target.places.slice(from, from + 1 + aim.random.below(10));
    await remove(aim, removed);
    return { ...seqOf(removed[0]), what: 'removed' };
  },
  'cut off the end': async (aim) => {
    const removed = aim.target.places.slice(aim.random.below(aim.target.places.length));
    await remove(aim, removed);
    return { ...seqOf(removed[0]), what: 'removed' };
  },
  'cut off the end with its heads': async (aim) => {
    const removed = aim.target.places.slice(aim.random.below(aim.target.places.length));
    await remove(aim, removed);
    await query(aim, 'delete from login_log_heads where chain = $1 and not checkpoint', [aim.target.chain]);
    return { ...seqOf(removed[0]), what: 'removed' };
  },
  'remove a chain with all its signatures': async (aim) => {
    await remove(aim, aim.target.places);
    await query(aim, 'delete from login_log_heads where chain = $1', [aim.target.chain]);
    return { seq: 1, what: 'removed' };
  },
  'exchange the ids of two records': async (aim) => {
    const pair = pickTwo(aim);
    if (pair === undefined) return undefined;
    const [one, other] = pair;
    const unusedId = randomUUID();
    await update(aim, `id = '${unusedId}'`, one);
    await update(aim, `id = '${one.id}'`, other);
    await update(aim, `id = '${other.id}'`, { ...one, id: unusedId });
    return { seq: one.seq };
  },
  'exchange the numbers and hashes of two records': async (aim) => await exchange(aim, ['seq', 'hash']),
  'exchange the contents of two records': async (aim) =>
    await exchange(aim, ['at', 'username', 'request_id', 'ip', 'user_id']),
  'copy a record': async (aim) => {
    const row = pickRow(aim);
    const place = aim.random.pick(aim.target.places);
    const id = `${place.id.slice(0, 24)}${randomBytes(6).toString('hex')}`;
    await insertLike(aim, row, { id });
    return { id };
  },
  'put a forged record behind the last one': async (aim) => {
    const row = pickRow(aim);
    const last = aim.target.places.at(-1);
    const id = `ffff${randomUUID().slice(4)}`;
    await insertLike(aim, row, { id, seq: (last?.seq ?? 0) + 1, hash: randomBytes(32), username: 'mallory' });
    return { seq: (last?.seq ?? 0) + 1, id };
  },
  'put a forged record between two and renumber the rest': async (aim) => {
    const pair = pickTwo(aim);
    if (pair === undefined) return undefined;
    const [row] = pair;
    await query(aim, 'update login_log set seq = seq + 1 where chain = $1 and id > $2', [row.chain, row.id]);
    const id = `${row.id.slice(0, 24)}ffffffffffff`;
    await insertLike(aim, row, { id, seq: row.seq + 1, hash: randomBytes(32), username: 'mallory' });
    return row.id < id ? { seq: row.seq + 1 } : undefined;
  },
  'move a record to another chain': async (aim) => {
    const row = pickRow(aim);
    await update(aim, `chain = '${aim.other.chain}'`, row);
    return { seq: row.seq, what: 'removed' };
  },
  'move a record to a separate chain': async (aim) => {
    const row = pickRow(aim);
    await update(aim, `chain = '${randomUUID()}'`, row);
    return { seq: row.seq, what: 'removed' };
  },
  'take a record out of its chain': async (aim) => {
    const row = pickRow(aim);
    await update(aim, 'chain = null, seq = null, hash = null', row);
    return { seq: row.seq, what: 'removed' };
  },
  'take a whole chain apart': async (aim) => {
    const { chain, places } = aim.target;
    await query(aim, 'delete from login_log_heads where chain = $1', [chain]);
    await remove(
      aim,
      places.filter(({ isRejected }) => isRejected),
    );
    await query(aim, 'update login_log set chain = null, seq = null, hash = null where chain = $1', [chain]);
    return { seq: 1, what: 'removed' };
  },
  'change a record and make the hashes fit under another key': async (aim) => {
    const row = pickRow(aim);
    await update(aim, `username = 'mallory'`, row);
    let hash = randomBytes(32);
    for (const later of aim.target.places.filter(({ seq, isRejected }) => seq >= row.seq && !isRejected)) {
      hash = createHmac('sha256', 'guess').update(hash).update(later.id).digest();
      await query(aim, 'update login_log set hash = $2 where id = $1', [later.id, hash]);
    }
    return named(row);
  },
  'change a head': async (aim) => await changeSigned(aim, 'head', aim.target.head),
  'remove a head': async (aim) => {
    if (aim.target.head === undefined) return undefined;
    await query(aim, 'delete from login_log_heads where chain = $1 and not checkpoint', [aim.target.chain]);
    return { what: 'head_removed' };
  },
  'change a checkpoint': async (aim) => await changeSigned(aim, 'checkpoint', aim.target.checkpoint),
  'remove a checkpoint': async (aim) => {
    if (aim.target.checkpoint === undefined) return undefined;
    await query(aim, 'delete from login_log_heads where chain = $1 and checkpoint', [aim.target.chain]);
    return { seq: 1, what: 'removed' };
  },
  'make a head a checkpoint and remove the records before it': async (aim) => {
    if (aim.target.head === undefined) return undefined;
    await remove(aim, aim.target.places);
    await query(aim, 'update login_log_heads set checkpoint = true where chain = $1 and not checkpoint', [
      aim.target.chain,
    ]);
    return { what: 'checkpoint_changed' };
  },
  'change a rejected record': async (aim) => {
    const rejected = aim.target.places.filter(({ isRejected }) => isRejected);
    if (rejected.length === 0) return undefined;
    const record = aim.random.pick(rejected);
    const [column, value] = aim.random.pick([
      ['raw', `overlay(raw placing '\\x58' from ${1 + aim.random.below(300)})`],
      ['raw', `raw || '\\x20'`],
      ['raw', `convert_to(replace(convert_from(raw, 'UTF8'), '"username":"', '"username":"x'), 'UTF8')`],
      ['raw', `convert_to(replace(convert_from(raw, 'UTF8'), '"id":', '"note":1,"id":'), 'UTF8')`],
      ['hash', `'\\x${randomBytes(32).toString('hex')}'`],
      ['seq', 'seq + 1'],
    ] as const);
    const changed = await query(
      aim,
      `update login_log_dead_letters set ${column} = ${value} where id = $1 and ${column} is distinct from ${value} returning id`,
      [record.id],
    );
    if (changed === 0) return undefined;
    return { id: record.id };
  },
};

async function changeColumn(aim: Aim, column: string): Promise<Expected | undefined> {
  const row = pickRow(aim);
  const value = valueFor(aim.random, column);
  const changed = await query(
    aim,
    `update login_log set ${column} = $2 where id = $1 and ${column} is distinct from $2 returning id`,
    [row.id, value],
  );
  return changed === 0 ? undefined : named(row);
}

function valueFor(random: Random, column: string): unknown {
  switch (column) {
    case 'at':
      return new Date(random.below(2 ** 31) * 1000);
    case 'user_id':
      return random.once(4) ? null : random.below(200);
    case 'outcome':
      return random.pick(['success', 'failure']);
    case 'ip':
      return random.pick([
        null,
        `192.0.2.${random.below(256)}`,
        `192.0.2.0/${random.below(33)}`,
        '::1',
        '2001:db8::/64',
      ]);
    case 'instance':
    case 'erasure':
      return randomUUID();
    case 'seq':
      return random.pick([null, 1 + random.below(100), Number.MAX_SAFE_INTEGER]);
    case 'hash':
    case 'seal':
      return random.pick([null, Buffer.alloc(0), randomBytes(32), randomBytes(31)]);
    default:
      return random.pick([
        '',
        ' ',
        'mallory',
        'Firefox',
        'e\u0301',
        '😀',
        requiredTexts.includes(column) ? 'ok' : null,
      ]);
  }
}

async function changeSigned(
  aim: Aim,
  kind: 'head' | 'checkpoint',
  seq: number | undefined,
): Promise<Expected | undefined> {
  if (seq === undefined) return undefined;
  const assignment = aim.random.pick([
    'seq = seq + 1',
    'seq = 0',
    `hash = '\\x${randomBytes(32).toString('hex')}'`,
    `signature = '\\x${randomBytes(32).toString('hex')}'`,
  ]);
  await query(
    aim,
    `update login_log_heads set ${assignment} where chain = $1 and seq = $2 and checkpoint = $3`,
    [aim.target.chain, seq, kind === 'checkpoint'],
  );
  return { what: `${kind}_changed` };
}

async function exchange(aim: Aim, names: readonly string[]): Promise<Expected | undefined> {
  const pair = pickTwo(aim);
  if (pair === undefined) return undefined;
  const [one, other] = pair;
  const changed = await query(
    aim,
    `update login_log set ${names.map((name) => `${name} = twin.${name}`).join(', ')}
     from (select * from login_log where id in ($1, $2)) as twin
     where login_log.id in ($1, $2) and twin.id <> login_log.id
       and (${names.map((name) => `login_log.${name}`).join(', ')}) is distinct from (${names.map((name) => `twin.${name}`).join(', ')})
     returning login_log.id`,
    [one.id, other.id],
  );
  return changed === 2 ? { seq: one.seq } : undefined;
}

function pickRow({ random, target }: Aim): Place {
  return random.pick(target.places.filter(({ isRejected }) => !isRejected));
}

/** The first one has the lower number. */
function pickTwo({ random, target }: Aim): [Place, Place] | undefined {
  const rows = target.places.filter(({ isRejected }) => !isRejected);
  if (rows.length < 2) return undefined;
  const first = random.below(rows.length - 1);
  const [one, other] = [rows[first], rows[first + 1 + random.below(rows.length - first - 1)]];
  return one === undefined || other === undefined ? undefined : [one, other];
}

const named = ({ seq, id }: Place): Expected => ({ seq, id });
const seqOf = (place: Place | undefined) => (place === undefined ? {} : { seq: place.seq });

async function update(aim: Aim, assignment: string, { id }: Place, condition = 'true'): Promise<boolean> {
  return (await query(aim, `update login_log set ${assignment} where id = $1 and ${condition}`, [id])) > 0;
}

async function remove(aim: Aim, places: readonly Place[]): Promise<void> {
  const ids = places.map(({ id }) => id);
  await query(aim, 'delete from login_log where id = any($1)', [ids]);
  await query(aim, 'delete from login_log_dead_letters where id = any($1)', [ids]);
}

/** A row with everything of another but what is given. */
async function insertLike(aim: Aim, { id }: Place, change: Readonly<Record<string, unknown>>): Promise<void> {
  const names = Object.keys(change);
  const values = names.map(
    (name, index) => `'${name}', $${index + 2}::${name === 'hash' ? 'bytea' : 'text'}`,
  );
  await query(
    aim,
    `insert into login_log select made.* from login_log, jsonb_populate_record(login_log, jsonb_build_object(${values})) as made
     where login_log.id = $1`,
    [id, ...names.map((name) => change[name])],
  );
}

async function query({ client }: Aim, text: string, values: readonly unknown[]): Promise<number> {
  return (await client.query(text, [...values])).rowCount ?? 0;
}
