// A process that starts a whole service by the settings of its environment, and stops it. Nothing ends the process but that
// nothing is left to do.
import { pino } from 'pino';
import { loadConfig } from '../../src/base/settings/config.ts';
import { composePortcullis } from '../../src/compose/portcullis.ts';

const portcullis = await composePortcullis({
  config: loadConfig({ environment: process.env }),
  logger: pino({ level: 'error' }),
});
await portcullis.listen();
await portcullis.close(0);
console.log('stopped');
