// Runs the fuzzers: `npm run fuzz -- policy --cases 10000000 --seed 7`. Without a name, all of them in turn.
import { parseArgs } from 'node:util';
import { fuzzCasbin } from './casbin.ts';
import type { Fuzzer } from './fuzzer.ts';
import { fuzzHttp } from './http/fuzz-http.ts';
import { fuzzLiteral } from './literal.ts';
import { fuzzLogin } from './login/fuzz-login.ts';
import { fuzzPolicy } from './policy.ts';
import { fuzzToken } from './token/fuzz-token.ts';

const fuzzers: Readonly<Record<string, Fuzzer>> = {
  policy: fuzzPolicy,
  casbin: fuzzCasbin,
  literal: fuzzLiteral,
  http: fuzzHttp,
  token: fuzzToken,
  login: fuzzLogin,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: 'string' }, seed: { type: 'string', default: '1' } },
});

const names = positionals.length > 0 ? positionals : Object.keys(fuzzers);
for (const name of names) {
  const fuzzer = fuzzers[name];
  if (fuzzer === undefined) {
    console.error(`There is no fuzzer "${name}". There are: ${Object.keys(fuzzers).join(', ')}.`);
    process.exit(2);
  }
  const cases = Number(values.cases ?? fuzzer.defaultCases);
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(cases) || cases < 1 || !Number.isSafeInteger(seed)) {
    console.error('Give whole numbers: --cases from 1 on, and --seed.');
    process.exit(2);
  }
  console.log(`fuzz ${name}: ${fuzzer.title}, ${cases.toLocaleString('en')} cases, seed ${seed}`);
  const { passed, failures, remarks } = await fuzzer.run({ cases, seed, progress: progressOf(name, cases) });
  for (const remark of remarks) console.log(remark);
  for (const failure of failures) console.error(failure);
  console.log(`${passed} passed, ${failures.length} failed`);
  if (failures.length > 0) process.exitCode = 1;
}

function progressOf(name: string, cases: number): (done: number) => void {
  let shownAt = performance.now();
  return (done) => {
    if (performance.now() - shownAt < 5000) return;
    shownAt = performance.now();
    console.log(`fuzz ${name}: ${done.toLocaleString('en')} of ${cases.toLocaleString('en')}`);
  };
}
