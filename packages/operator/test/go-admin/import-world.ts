// A go-admin and an empty database of ours beside it, with the import between them.
import { createRecordChange } from '@portcullis/server/logs/audit/record-change.ts';
import { type AccessStandIn, createAccessStandIn } from '../../../server/test/access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { importGoAdmin } from '../../src/go-admin/import-go-admin.ts';
import { openSource } from '../../src/go-admin/open-source.ts';
import { createSourceDatabase, type SourceDatabase } from './source-database.ts';
import type { Dialect, Version } from './source-schema.ts';

type Options = Parameters<typeof importGoAdmin>[0];
type Chosen = Partial<Pick<Options, 'isDryRun' | 'roleKeys' | 'addsToRoles' | 'rulesTable'>>;

export interface ImportWorld {
  readonly source: SourceDatabase;
  readonly database: FreshDatabase;
  readonly access: AccessStandIn;
  run(chosen?: Chosen): ReturnType<typeof importGoAdmin>;
  drop(): Promise<void>;
}

const caller = {
  userId: 0,
  username: 'command line: ada',
  roleId: 0,
  roleKey: 'admin',
  dataScope: '1' as const,
  jti: '',
  expiresAt: 0,
};

export async function createImportWorld(
  dialect: Dialect,
  version: Version = 'current',
): Promise<ImportWorld> {
  const source = await createSourceDatabase(dialect, version);
  const database = await createFreshDatabase();
  const access = createAccessStandIn(database.store);
  return {
    source,
    database,
    access,
    async run(chosen = {}) {
      const opened = await openSource(source.url);
      return await importGoAdmin({
        source: opened,
        access,
        recordChange: createRecordChange(),
        call: { caller, requestId: 'r', ip: '127.0.0.1' },
        isDryRun: false,
        roleKeys: new Map(),
        addsToRoles: false,
        rulesTable: undefined,
        onProgress: () => {},
        ...chosen,
      }).finally(opened.close);
    },
    async drop() {
      await source.drop();
      await database.drop();
    },
  };
}
