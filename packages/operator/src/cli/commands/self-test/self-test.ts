// `portcullis self-test`: sends a running gateway requests that it must refuse, and reports every
// request that it does not refuse.
import { isCanonicalTarget } from '@portcullis/gate';
import { type Command, InvalidArgumentError } from 'commander';
import { countOf } from '../../../terminal/count-of.ts';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, paint, plain } from '../../../terminal/output.ts';
import { createProgress } from '../../../terminal/progress.ts';
import { listProbes, type Probe } from './gateway-probes.ts';
import { judgeAnswer, noAnswer, type Verdict } from './judge-answer.ts';
import { sendProbe } from './send-probe.ts';

/** The delay between the head and the body of a request. */
const heldMilliseconds = 1500;

export function addSelfTest(program: Command): void {
  const selfTest = program
    .command('self-test')
    .description(
      'Send a running gateway what it must refuse.\nExits with 0 if everything was refused, with 1 if something got through, and\nwith 2 if a refusal is not as it should be.',
    )
    .requiredOption('--gateway <url>', 'where the gateway listens, as http://host:port', parseGateway)
    .option('--path <path>', 'a protected path of the service', parsePath, '/api/v1/portcullis-self-test')
    .action(async ({ gateway, path }: { gateway: URL; path: string }) => {
      const progress = createProgress();
      const findings = await testGateway(gateway, path, (done, all) =>
        progress.show(`${done} of ${countOf(all, 'request')}`),
      ).finally(progress.end);
      outputOf(selfTest).show(
        { gateway: gateway.href, summary: summaryOf(findings), findings: findings.map(flat) },
        () => report(findings),
      );
      process.exitCode = exitCodeOf(findings);
    });
  addExamples(selfTest, 'portcullis self-test --gateway https://shop.example.com');
}

export interface Finding {
  readonly probe: Probe;
  readonly verdict: Verdict;
}

/** Sends the probes one at a time, so that a rate limit of the gateway does not refuse them. */
export async function testGateway(
  gateway: URL,
  path: string,
  onProgress: (done: number, all: number) => void = () => {},
  heldFor = heldMilliseconds,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const probes = listProbes(path);
  for (const probe of probes) {
    findings.push({ probe, verdict: judgeAnswer(probe, await sendProbe(gateway, probe, heldFor)) });
    onProgress(findings.length, probes.length);
  }
  return findings;
}

function flat({ probe: { name, method, target, expected }, verdict }: Finding) {
  return { name, method, target, expected, ...verdict };
}

export function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 2 {
  if (findings.length === 0 || findings.some(({ verdict }) => verdict.outcome === 'open')) return 1;
  return findings.every(({ verdict }) => verdict.outcome === 'refused') ? 0 : 2;
}

const labels = { refused: 'refused', inexact: 'WARNING', strange: 'WARNING', open: 'OPEN   ' } as const;
const colours = { refused: 'green', inexact: 'yellow', strange: 'yellow', open: 'red' } as const;

export function report(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ probe, verdict: { outcome, seen } }) =>
      `${paint(colours[outcome], labels[outcome])}  ${probe.name}: ${plain(seen)}`,
  );
  const remedies = [...new Set(findings.map(({ verdict }) => verdict.remedy))].filter(
    (remedy) => remedy !== undefined,
  );
  return `${[...lines, '', ...remedies.map((remedy) => `- ${remedy}`), summaryOf(findings)].join('\n')}`;
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (outcome: Verdict['outcome']) =>
    findings.filter(({ verdict }) => verdict.outcome === outcome).length;
  if (findings.every(({ verdict }) => verdict.seen === noAnswer)) return 'The gateway does not answer.';
  const [open, strange, inexact] = [count('open'), count('strange'), count('inexact')];
  if (open > 0) return `${open} of ${findings.length} requests got through. This gateway is an open door.`;
  if (strange > 0) return `${strange} of ${findings.length} answers did not come from Portcullis.`;
  if (inexact > 0) return `Nothing got through, but ${inexact} of ${findings.length} refusals are not exact.`;
  return `All ${findings.length} requests were refused as they should be.`;
}

function parseGateway(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('It is not an http:// or https:// address.');
  return url;
}

function parsePath(text: string): string {
  if (!isCanonicalTarget(text) || text.includes('?'))
    throw new InvalidArgumentError('It is not a plain path such as /api/v1/orders.');
  return text;
}
