// Writes the prepared database of the packaged demo: empty, with all tables. Creating it takes 4 s of CPU, unpacking it
// takes 1 s. Usage: `node write-postgres-data.ts <file>`
import { writeFile } from 'node:fs/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import { migrate } from '@portcullis/server/cluster/store/migrate.ts';
import { openStore } from '@portcullis/server/cluster/store/store.ts';
import { createPostgres } from './create-postgres.ts';

const compressionLevel = 19;
const [, , file = 'postgres-data.tar.zst'] = process.argv;

// Small WAL segments: they are nearly empty and unpack faster.
const { postgres, url } = await createPostgres('@electric-sql/pglite', '', {
  initDbStartParams: ['--wal-segsize=1'],
});
const store = openStore({ url, poolSize: 2, statementTimeoutMilliseconds: 0, onConnectionLost: () => {} });
await migrate(store);
await store.destroy();
await postgres.exec('checkpoint');
const tar = await postgres.dumpDataDir('none');
const params = { [constants.ZSTD_c_compressionLevel]: compressionLevel };
await writeFile(file, zstdCompressSync(Buffer.from(await tar.arrayBuffer()), { params }));
process.exit(0);
