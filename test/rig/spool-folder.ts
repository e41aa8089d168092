// Where the servers of a test's database keep their spools. One a database: databases are copies of a template, so
// their deployments have the same id.
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function spoolFolderOf(databaseUrl: string): string {
  const name = createHash('sha256').update(databaseUrl).digest('hex').slice(0, 16);
  return join(tmpdir(), 'portcullis-rig-spools', name);
}
