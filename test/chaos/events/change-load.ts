// Changes as instances make them, many at a time and each in a separate transaction that takes a while: their ids are not in
// the order of their commits.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createUuidV7Source } from '../../../packages/server/src/cluster/store/uuid-v7.ts';
import { Random } from '../../fuzz/random.ts';

export interface ChangeLoad {
  readonly committed: number;
  stop(): Promise<void>;
}

const lanes = 6;
const objects = 300;
const longestMilliseconds = 20;

/** Makes none while `isWanted` says no. */
export function startChangeLoad(
  url: string,
  seed: number,
  isWanted: (committed: number) => boolean,
): ChangeLoad {
  const pool = new pg.Pool({ connectionString: url, max: lanes });
  const nextId = createUuidV7Source((size) => Buffer.from(crypto.getRandomValues(new Uint8Array(size))));
  let isOn = true;
  let committed = 0;

  async function run(random: Random): Promise<void> {
    while (isOn) {
      if (!isWanted(committed)) {
        await sleep(longestMilliseconds);
        continue;
      }
      const client = await pool.connect();
      await client.query('begin');
      const count = 1 + random.below(3);
      for (let n = 0; n < count; n += 1)
        await client.query(
          `insert into audit_log (id, at, actor_id, actor_name, actor_role, action, target, before, after, request_id, ip)
           values ($1, now(), 1, 'chaos', 'admin', 'user.update', $2, null, '{"name":"x"}', 'r', '127.0.0.1')`,
          [nextId(Date.now()), `user ${random.below(objects)}`],
        );
      await sleep(random.below(longestMilliseconds));
      await client.query('commit');
      client.release();
      committed += count;
    }
  }
  const running = Array.from({ length: lanes }, (_, lane) => run(new Random(seed * 131 + lane)));
  return {
    get committed() {
      return committed;
    },
    async stop() {
      isOn = false;
      await Promise.all(running);
      await pool.end();
    },
  };
}
