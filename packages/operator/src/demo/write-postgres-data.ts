// Writes the file that the demo of the built package starts from: an empty database with its tables. To make one takes
// four seconds of a processor, to unpack one takes one. `node write-postgres-data.ts <file>`
import { writeFile } from 'node:fs/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import { migrate } from '@portcullis/server/cluster/store/migrate.ts';
import { openStore } from '@portcullis/server/cluster/store/store.ts';
import { createPostgres } from './create-postgres.ts';

const compressionLevel = 19;
const [, , file = 'postgres-data.tar.zst'] = process.argv;

// Its log files are nearly empty: small ones are unpacked sooner.
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
