// Runs the benchmarks: `npm run bench -- policy`. Each prints JSON lines, a table and its limits, and fails below
// a limit. With `--quick` there are too few rounds for a verdict: it fails on errors, and on ratios or sizes that
// are too far off for noise. `--write` writes the result into docs; `--beside ../before` measures another
// checkout in the same rounds.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { closeSuite, collectNotes } from '../test/rig/notes.ts';
import { type Bar, type Bench, isMet } from './bench.ts';
import { benchDrain } from './drain.ts';
import { benchGateway } from './gateway.ts';
import { benchGuard } from './guard.ts';
import { benchHttp } from './http.ts';
import { benchJoining } from './joining.ts';
import { benchLog } from './log.ts';
import { benchLogSize } from './log-size.ts';
import { benchLogin } from './login.ts';
import { benchPeers } from './peers.ts';
import { benchPolicy } from './policy.ts';
import { benchRelays } from './relays.ts';
import { benchRevocations } from './revocations.ts';
import { benchScale } from './scale.ts';
import { benchStart } from './start.ts';
import { benchWebhooks } from './webhooks.ts';
import { writeSection } from './write-section.ts';

collectNotes();

const benches: Readonly<Record<string, Bench>> = {
  policy: benchPolicy,
  http: benchHttp,
  guard: benchGuard,
  peers: benchPeers,
  login: benchLogin,
  relays: benchRelays,
  joining: benchJoining,
  scale: benchScale,
  revocations: benchRevocations,
  start: benchStart,
  log: benchLog,
  drain: benchDrain,
  'log-size': benchLogSize,
  gateway: benchGateway,
  webhooks: benchWebhooks,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    rows: { type: 'string' },
    beside: { type: 'string' },
  },
});
const quick = values.quick || process.env.CI === 'true';
const quickSlack = 2;

for (const name of positionals.length > 0 ? positionals : Object.keys(benches)) {
  const bench = benches[name];
  if (bench === undefined) {
    console.error(`There is no bench "${name}". There are: ${Object.keys(benches).join(', ')}.`);
    process.exit(2);
  }
  const { tables, bars, charts } = await bench.run({
    quick,
    ...(values.rows === undefined ? {} : { rows: Number(values.rows) }),
    ...(values.beside === undefined ? {} : { beside: resolve(values.beside) }),
  });
  console.log(tables);
  for (const bar of bars) console.log(`${isMet(bar) ? 'ok    ' : 'MISSED'} ${describe(bar)}`);
  if (quick) console.log(`Of few rounds: no time fails, and a ratio or size at ${quickSlack} times its bar.`);
  if (values.write) writeSection(name, { tables, bars, charts });
  const missed = bars.filter(isFailed).length;
  const notJudged = quick ? bars.filter(isTime).length : 0;
  closeSuite({ passed: bars.length - missed - notJudged, failed: missed, notJudged });
}

function isFailed(bar: Bar): boolean {
  if (!quick) return !isMet(bar);
  return !isTime(bar) && !isMet(bar, quickSlack);
}

/** A time depends on the machine as much as on the code. */
function isTime({ unit }: Bar): boolean {
  return ['ns', 'us', 'ms'].includes(unit);
}

function describe({ what, value, limit, unit, better }: Bar): string {
  const side = better === 'lower' ? 'at most' : 'at least';
  return `${what}: ${format(value)} ${unit} (bar: ${side} ${format(limit)})`;
}

function format(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
