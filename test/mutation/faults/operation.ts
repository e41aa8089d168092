// Storage, settings, metrics and the commands of the operator.
import type { Fault } from '../fault.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const masterKey = `${src}/settings/master-key.ts`;
const masterKeyTest = `${test}/settings/master-key.test.ts`;
const production = `${src}/settings/lint-production.ts`;
const productionTest = `${test}/settings/lint-production.test.ts`;

export const operationFaults: readonly Fault[] = [
  {
    name: 'a second migration makes no months ahead',
    file: `${src}/store/migrate.ts`,
    before: 'await makePartitions(store);',
    after: 'if (results.length > 0) await makePartitions(store);',
    seenBy: [`${test}/store/migrate.test.ts`],
  },
  {
    name: 'the role of the service deletes from the login log',
    file: `${src}/store/service-role.ts`,
    before: ' login_log: addTo,',
    after: ' login_log: everything,',
    seenBy: ['test/attack/login-log-roles.test.ts'],
  },
  {
    name: 'a cursor is not checked',
    file: `${src}/store/cursor.ts`,
    before: 'if (!isPlace(place)) throw',
    after: 'if (place === undefined) throw',
    seenBy: [`${test}/store/cursor.test.ts`],
  },
  {
    name: 'Postgres is reached by TLS that verifies nothing',
    file: `${src}/store/lint-transport.ts`,
    before: 'ssl.rejectUnauthorized === true',
    after: 'ssl.rejectUnauthorized !== undefined',
    seenBy: [`${test}/store/lint-transport.test.ts`],
  },
  {
    name: 'production runs on the published key of dev',
    file: masterKey,
    before: "if (isDev && text === '') return",
    after: "if (text === '') return",
    seenBy: [masterKeyTest],
  },
  {
    name: 'a master key is a phrase',
    file: masterKey,
    before: 'if (isPhrase(key) || isSpeltInWords(text)) return',
    after: 'if (isSpeltInWords(text)) return',
    seenBy: [masterKeyTest],
  },
  {
    name: 'a master key repeats a few bytes',
    file: masterKey,
    before: 'new Set(key).size < 16',
    after: 'new Set(key).size < 2',
    seenBy: [masterKeyTest],
  },
  {
    name: 'two purposes share a key',
    file: masterKey,
    before: "chain: derive('chain'),",
    after: "chain: derive('sealing'),",
    seenBy: [`${test}/settings/derived-keys.test.ts`],
  },
  {
    name: 'a hash in production is too cheap',
    file: production,
    before: ' && memoryKibibytes * passes >= leastHashWorkKibibytes',
    after: '',
    seenBy: [productionTest],
  },
  {
    name: 'a secret that repeats itself is good enough',
    file: production,
    before: ' || new Set(text).size < leastDifferentCharacters',
    after: '',
    seenBy: [productionTest],
  },
  {
    name: 'any kind of error is a label of a metric',
    file: `${src}/ops/decision-counts.ts`,
    before: "decisionResults.find((result) => result === kind) ?? 'internal'",
    after: 'kind as DecisionResult',
    seenBy: [`${test}/ops/counts.test.ts`],
  },
  {
    name: 'a check of doctor that fails is left out',
    file: 'packages/operator/src/doctor/examine.ts',
    before: "return wrong('cannot be looked at', reasons.join(' '));",
    after: "return skipped(reasons.join(' '));",
    seenBy: ['packages/operator/test/doctor/examine.test.ts'],
  },
  {
    name: 'doctor ends with 0 where something is wrong',
    file: 'packages/operator/src/cli/commands/doctor.ts',
    before: 'sums.wrong > 0 || (strict && sums.warning > 0)',
    after: 'strict && sums.wrong + sums.warning > 0',
    seenBy: ['packages/operator/test/doctor/settings-faults.test.ts'],
  },
  {
    name: 'log verify ends with 0 where one record is wrong',
    file: 'packages/operator/src/cli/commands/log-evidence.ts',
    before: 'if (findings.problems.length > 0) process.exitCode',
    after: 'if (findings.problems.length > 1) process.exitCode',
    seenBy: ['packages/operator/test/cli/log.test.ts'],
  },
];
