// The company of the browser suite, to click through: `node test/browser/serve-company.ts`, until Ctrl-C.
import { once } from 'node:events';
import { createDatabase } from '../rig/create-database.ts';
import { startServer } from '../rig/start-server.ts';
import { companyPassword, fillCompany } from './fill-company.ts';

const database = await createDatabase({ migrated: true });
await fillCompany(database);
const server = await startServer({
  databaseUrl: database.url,
  settings: { APPLICATION_MODE: 'dev', APPLICATION_PORT: process.env.APPLICATION_PORT ?? '8000' },
});
console.log(`http://127.0.0.1:${server.port}/console/ as ada, with the password ${companyPassword}`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await server.stop();
await database.drop();
