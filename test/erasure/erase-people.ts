// Erases the accounts from one number to another, one after the other, by the endpoint's own handler. Killed at any moment
// and started again, it continues at the same account.
import { eraseUserEndpoint } from '@portcullis/contract';
import { composeOperator } from '../../packages/operator/src/compose-operator.ts';
import { loadProcessConfig } from '../../packages/server/src/base/settings/config.ts';
import { openStore } from '../../packages/server/src/cluster/store/store.ts';

const [from, to] = process.argv.slice(2).map(Number) as [number, number];
const config = loadProcessConfig({});
const store = openStore({
  ...config.database,
  statementTimeoutMilliseconds: 60_000,
  onConnectionLost: () => {},
});
const operator = await composeOperator(store, config);
console.log(`erasing ${from} to ${to}`);
for (let id = from; id <= to; id += 1) await operator.call(eraseUserEndpoint, { params: { id } });
await operator.close();
await store.destroy();
