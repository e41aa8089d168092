// Random requests over raw sockets against the running service: every answer must be the one of the reference.
import { errorTable } from '@portcullis/contract';
import type { Fuzzer, FuzzResult, FuzzRun } from '../fuzzer.ts';
import { createPipelineClient, type PipelineClient } from '../pipeline-client.ts';
import type { Random } from '../random.ts';
import { runCases } from '../run-cases.ts';
import type { WireAnswer } from '../take-answer.ts';
import { describeCase, generateCase } from './generate-case.ts';
import { type Expected, expectOutcome } from './reference-outcome.ts';
import { bytesOf, type HttpCase, valuesOf } from './request.ts';
import { createHttpWorld, type HttpWorld } from './world.ts';

export const fuzzHttp: Fuzzer = {
  title: 'requests over raw sockets against the reference',
  defaultCases: 20_000,
  smallCases: 5000,
  run,
};

const connections = 16;
const atOnce = 256;

interface Counts {
  outcomes: Map<string, number>;
  morePermissive: number;
  different: number;
  faults: number;
  entered: number;
}

async function run(fuzz: FuzzRun): Promise<FuzzResult> {
  const world = await createHttpWorld();
  const client = createPipelineClient(world.server.port, connections);
  try {
    const counts: Counts = { outcomes: new Map(), morePermissive: 0, different: 0, faults: 0, entered: 0 };
    const enteredBefore = await world.countEntries();
    const runCase = (random: Random) => compareOne(random, world, client, counts);
    const result = await runCases(fuzz, { name: 'http', server: world.server, atOnce, runCase });
    const failures = [...result.failures];
    if (failures.length === 0) {
      const entered = (await world.countEntries()) - enteredBefore;
      if (entered < counts.entered || entered > counts.entered + client.resent)
        failures.push(
          `${entered} handlers were entered, ${counts.entered} expected (${client.resent} sent again)`,
        );
    }
    if (client.unasked > 0) failures.push(`${client.unasked} bytes of answers that nothing asked for`);
    return {
      passed: result.passed,
      failures,
      remarks: remarksOf(counts, result.done, result.casesPerSecond, client),
    };
  } finally {
    client.close();
    await world.stop();
  }
}

async function compareOne(
  random: Random,
  world: HttpWorld,
  client: PipelineClient,
  counts: Counts,
): Promise<string | undefined> {
  const { sent, expected } = sendableCase(random, world);
  const bytes = bytesOf(sent);
  const isHead = sent.method === 'HEAD';
  const answer = await client.send({ bytes, isHead, isAlone: endsConnection(sent, expected) });
  const actual = outcomeOf(answer, isHead);
  counts.outcomes.set(expected.outcome, (counts.outcomes.get(expected.outcome) ?? 0) + 1);
  if (actual === 'allowed' && expected.found?.route.isCounted === true) counts.entered += 1;
  if (answer.status === 0 || answer.status >= 500) counts.faults += 1;
  if (actual === expected.outcome) return undefined;
  const isMore = passedChecks(actual) > passedChecks(expected.outcome);
  if (isMore) counts.morePermissive += 1;
  else counts.different += 1;
  const again = outcomeOf(await client.send({ bytes, isHead, isAlone: true }), isHead);
  return `${describeCase(sent)}\n  ${isMore ? 'MORE PERMISSIVE: ' : ''}the service says ${actual} (${again} on a separate connection), the reference ${expected.outcome}`;
}

/** A case whose handler does no harm to the run. */
function sendableCase(random: Random, world: HttpWorld): { sent: HttpCase; expected: Expected } {
  const pickToken = () => {
    const plan = random.below(20);
    if (plan < 6) return random.pick(world.powerful);
    return random.pick(plan < 14 ? world.live : plan < 18 ? world.dead : world.forged);
  };
  for (;;) {
    const sent = generateCase(random, pickToken);
    const expected = expectOutcome(world, sent);
    const { outcome, found } = expected;
    const isHarmless = outcome !== 'allowed' || (found?.route.isHarmless?.(found.values) ?? true);
    if (isHarmless) return { sent, expected };
  }
}

function endsConnection(sent: HttpCase, { outcome }: Expected): boolean {
  return (
    outcome === 'not_http' ||
    sent.method === 'CONNECT' ||
    sent.version !== 'HTTP/1.1' ||
    valuesOf(sent, 'connection').length > 0
  );
}

function outcomeOf({ status, reason, body, text }: WireAnswer, isHead: boolean): string {
  const code = body.code;
  if (status === 404 && (isHead || code === 404)) return 'not_found';
  if (status === 400 && (isHead || code === 400)) return 'not_http';
  if (status === 200 && reason === undefined && isHandled(code)) return 'allowed';
  if (beyondReach.includes(body.msg)) return 'allowed';
  const expectedCode = reason === 'params_invalid' ? 400 : 401;
  if (status === 200 && reason !== undefined && code === expectedCode) return reason;
  return `status ${status}, ${reason ?? 'no reason'}, ${text.slice(0, 80)}`;
}

/** How a handler refuses what the checks let pass. */
const beyondReach: readonly unknown[] = Object.values(errorTable.exceeds_own_permissions.text);

/** A handler answered: done, no such record, or a conflict. */
function isHandled(code: unknown): boolean {
  return code === 200 || code === 404 || code === 409;
}

/** How far a request came: refused, past the checks, in the handler. */
function passedChecks(outcome: string): number {
  return ['params_invalid', 'allowed'].indexOf(outcome);
}

function remarksOf(
  counts: Counts,
  done: number,
  casesPerSecond: number,
  { resent }: PipelineClient,
): string[] {
  const shares = [...counts.outcomes]
    .sort(([, a], [, b]) => b - a)
    .map(([outcome, count]) => `${outcome} ${((100 * count) / done).toFixed(1)} %`);
  return [
    `${counts.morePermissive} more permissive than the reference, ${counts.different} different, ${counts.faults} faults (5xx or no answer)`,
    `expected: ${shares.join(', ')}`,
    `${casesPerSecond} cases a second; ${counts.entered} counted handlers entered; ${resent} sent again`,
  ];
}
