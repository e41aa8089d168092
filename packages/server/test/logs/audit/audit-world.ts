// Records of the audit log as any member writes them, and tampering by a user with every right in the database.
import { sql } from 'kysely';
import type { Store } from '../../../src/cluster/store/store.ts';
import { idAt } from '../../id-at.ts';

/** As the version before writes it too: nothing of a chain. */
export async function insertAudit(
  store: Store,
  change: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const id = String(change.id ?? idAt(Date.now()));
  await store
    .insertInto('audit_log')
    .values({
      id,
      at: new Date(),
      actor_id: 7,
      actor_name: '李梅 😀',
      actor_role: 'admin',
      action: 'user.update',
      target: 'user 8',
      before: JSON.stringify({ name: 'a,b:1', 数: [1.5, null, 'ß'] }),
      after: null,
      request_id: 'r-1',
      ip: '192.0.2.1',
      ...change,
    })
    .execute();
  return id;
}

export async function insertMany(store: Store, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await insertAudit(store));
  return ids;
}

/** As it was written in the middle of a month: so many months ago, by the clock of the host and by that of the database. */
export async function insertAgo(store: Store, months: number, count = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const at = dayOf(months, 15);
    at.setUTCSeconds(n);
    const id = await insertAudit(store, { id: idAt(at.getTime()), at });
    await sql`update audit_log_chain set at = ${at} where id = ${id}`.execute(store);
    ids.push(id);
  }
  return ids;
}

export function dayOf(monthsAgo: number, day: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, day));
}

/** Without its trigger, as a superuser may. */
export async function untriggered(store: Store, work: (store: Store) => Promise<unknown>): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    await work(transaction);
  });
}

/** Rewrites the chain from a number on, so that it is consistent, with the remaining numbers. */
export async function rewriteChain(store: Store, from: number): Promise<void> {
  await sql
    .raw(`
      do $$
      declare
        entry record;
        last audit_log_end;
      begin
        last.seq := ${from - 1};
        select hash into last.hash from audit_log_chain where seq = ${from - 1};
        if last.hash is null then
          select sha256(convert_to('portcullis audit log 1 ' || id, 'UTF8')) into last.hash from deployment;
        end if;
        create temporary table left_over on commit drop as
          select chained.id from audit_log_chain chained join audit_log on audit_log.id = chained.id
          where seq >= ${from} order by seq;
        delete from audit_log_chain where seq >= ${from};
        for entry in select audit_log.* from audit_log join left_over on left_over.id = audit_log.id order by audit_log.id loop
          last.seq := last.seq + 1;
          select audit_log_hash(last.hash, last.seq, audit_log) into last.hash from audit_log where id = entry.id;
          insert into audit_log_chain (seq, id, hash) values (last.seq, entry.id, last.hash);
        end loop;
        update audit_log_end set seq = last.seq, hash = last.hash;
      end
      $$`)
    .execute(store);
}

/** The newest records with all that binds them. */
export async function cutOff(store: Store, count: number): Promise<void> {
  await sql`
    with cut as (delete from audit_log_chain where seq > (select seq from audit_log_end) - ${count} returning id)
    delete from audit_log where id in (select id from cut)`.execute(store);
  await sql`delete from audit_log_heads where seq > (select coalesce(max(seq), 0) from audit_log_chain)`.execute(
    store,
  );
  await sql`
    update audit_log_end set seq = coalesce(last.seq, 0), hash = coalesce(
      last.hash, sha256(convert_to('portcullis audit log 1 ' || (select id from deployment), 'UTF8')))
    from (select max(seq) as seq, (array_agg(hash order by seq desc))[1] as hash from audit_log_chain) as last`.execute(
    store,
  );
}
