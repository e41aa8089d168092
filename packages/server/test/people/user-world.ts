// The routes of users on a database of their own, called by whom the test names, with everything they ask of the rest
// of the service in the test's hands.
import { AppError, type Caller, type LastLogin } from '@portcullis/contract';
import { createRecordChange } from '../../src/logs/audit/record-change.ts';
import { listDepartmentsInScope } from '../../src/people/departments/data-scope-store.ts';
import { createPasswordLinks } from '../../src/people/passwords/password-links.ts';
import { createPasswordRules } from '../../src/people/passwords/password-rules.ts';
import { userRoutes } from '../../src/people/users/routes.ts';
import { createAccessStandIn } from '../access-stand-in.ts';
import { createFreshDatabase } from '../fresh-database.ts';
import { seedDirectory } from '../seed-directory.ts';
import { administrator, serveRoutes } from '../serve-routes.ts';

export const goodPassword = 'lamp orbit velvet ninety';

export async function startUserWorld() {
  const database = await createFreshDatabase({ poolSize: 4 });
  const { store } = database;
  await seedDirectory(store);
  const access = createAccessStandIn(store);
  const world = {
    store,
    access,
    caller: administrator,
    /** Roles that reach further than the caller. */
    beyond: [] as number[],
    forgiven: [] as string[],
    hashed: 0,
    lastLogin: null as LastLogin | null,
    admitHash: () => {},
  };
  const routes = userRoutes({
    store,
    access,
    recordChange: createRecordChange(),
    listDepartments: (caller) => listDepartmentsInScope(store, caller),
    canManage: {
      async ofUser(_transaction, _caller, _id, states) {
        if (states.some(({ roleId }) => world.beyond.includes(roleId)))
          throw new AppError('exceeds_own_permissions');
      },
    },
    links: createPasswordLinks({
      key: Buffer.alloc(32, 7),
      linkPage: 'https://admin.example.com/console/new-password',
      isMailSent: false,
      now: Date.now,
    }),
    rules: createPasswordRules({ minimumLength: 15 }),
    hashes: {
      admit: () => world.admitHash(),
      async hash(_caller, password) {
        world.hashed += 1;
        return `hash of ${password}`;
      },
    },
    randomBytes: (size) => Buffer.alloc(size, 7),
    findLastLogin: async () => world.lastLogin,
    forgiveGuesses: async (username) => void world.forgiven.push(username),
  });
  const served = serveRoutes(routes, () => world.caller);
  return Object.assign(world, {
    send: served.send,
    /** What was recorded since the last call, without what every record has. */
    async takeRecords() {
      const rows = await store
        .selectFrom('audit_log')
        .select(['actor_id', 'action', 'target', 'before', 'after'])
        .orderBy('id')
        .execute();
      await store.deleteFrom('audit_log').execute();
      return rows;
    },
    async close() {
      await served.close();
      await database.drop();
    },
  });
}

export type UserWorld = Awaited<ReturnType<typeof startUserWorld>>;

/** A caller of role 2 with the data scope; user 8, who is in department 1. */
export function callerOf(dataScope: Caller['dataScope']): Caller {
  return { ...administrator, userId: 8, username: 'kim', roleId: 2, roleKey: 'editor', dataScope };
}
