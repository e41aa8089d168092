// Runs the fuzzers: `npm run fuzz -- policy --cases 10000000 --seed 7`. Without a name, all of them in turn.
// A case of `delegation` is a change: `--changes 20000` says the same as `--cases 20000`.
import { parseArgs } from 'node:util';
import { closeSuite, collectNotes } from '../rig/notes.ts';
import type { Fuzzer } from './fuzzer.ts';

collectNotes();

/** Each is loaded when it is run: most of a short run would be the loading of the others. */
const fuzzers: Readonly<Record<string, () => Promise<Fuzzer>>> = {
  policy: async () => (await import('./policy.ts')).fuzzPolicy,
  matched: async () => (await import('./policy.ts')).fuzzMatched,
  casbin: async () => (await import('./casbin.ts')).fuzzCasbin,
  literal: async () => (await import('./literal.ts')).fuzzLiteral,
  http: async () => (await import('./http/fuzz-http.ts')).fuzzHttp,
  token: async () => (await import('./token/fuzz-token.ts')).fuzzToken,
  login: async () => (await import('./login/fuzz-login.ts')).fuzzLogin,
  reach: async () => (await import('./reach/fuzz-reach.ts')).fuzzReach,
  delegation: async () => (await import('./reach/fuzz-delegation.ts')).fuzzDelegation,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: 'string' }, changes: { type: 'string' }, seed: { type: 'string', default: '1' } },
});

const isSmall = process.env.CI === 'true';
const names = positionals.length > 0 ? positionals : Object.keys(fuzzers);
for (const name of names) {
  const fuzzer = await fuzzers[name]?.();
  if (fuzzer === undefined) {
    console.error(`There is no fuzzer "${name}". There are: ${Object.keys(fuzzers).join(', ')}.`);
    process.exit(2);
  }
  const usual = isSmall ? fuzzer.smallCases : fuzzer.defaultCases;
  const cases = Number(values.cases ?? values.changes ?? usual);
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(cases) || cases < 1 || !Number.isSafeInteger(seed)) {
    console.error('Give whole numbers: --cases from 1 on, and --seed.');
    process.exit(2);
  }
  console.log(`fuzz ${name}: ${fuzzer.title}, ${cases.toLocaleString('en')} cases, seed ${seed}`);
  const { passed, failures, remarks } = await fuzzer.run({ cases, seed, progress: progressOf(name, cases) });
  for (const remark of remarks) console.log(remark);
  for (const failure of failures) console.error(failure);
  closeSuite({ passed, failed: failures.length });
}

function progressOf(name: string, cases: number): (done: number) => void {
  let shownAt = performance.now();
  return (done) => {
    if (performance.now() - shownAt < 5000) return;
    shownAt = performance.now();
    console.log(`fuzz ${name}: ${done.toLocaleString('en')} of ${cases.toLocaleString('en')}`);
  };
}
