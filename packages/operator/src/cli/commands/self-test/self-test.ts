// `portcullis self-test`: proves against a running gateway that what must be refused is refused.
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isCanonicalTarget } from '@portcullis/gate';
import { type Command, InvalidArgumentError } from 'commander';
import { countOf } from '../../../terminal/count-of.ts';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, paint, plain } from '../../../terminal/output.ts';
import { createProgress } from '../../../terminal/progress.ts';
import { listProbes, type Probe } from './gateway-probes.ts';
import { type Answer, judgeAnswer, noAnswer, type Verdict } from './judge-answer.ts';

const timeoutMilliseconds = 10_000;
const mostBytes = 64 * 1024;

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

/** One after the other: a gateway that limits requests must not be what refuses them. */
export async function testGateway(
  gateway: URL,
  path: string,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const probes = listProbes(path);
  for (const probe of probes) {
    findings.push({ probe, verdict: judgeAnswer(probe, await send(gateway, probe)) });
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

function send(gateway: URL, { method, target, headers }: Probe): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const nothing: Answer = { status: 0, reason: undefined, requestId: undefined, text: '' };
  const options: RequestOptions = {
    hostname: gateway.hostname.replace(/^\[|\]$/g, ''),
    port: gateway.port,
    method,
    path: target,
    headers: [...['Host', gateway.host, 'Connection', 'close', 'Content-Length', '0'], ...headers],
    timeout: timeoutMilliseconds,
  };
  const opened = (gateway.protocol === 'https:' ? requestHttps : requestHttp)(options);
  opened
    .on('response', (response) => {
      let text = '';
      const finish = () =>
        resolve({
          status: response.statusCode ?? 0,
          reason: textOf(response.headers['x-auth-reason']),
          requestId: textOf(response.headers['x-request-id']),
          text,
        });
      response
        .setEncoding('utf8')
        .on('data', (part: string) => {
          if (text.length < mostBytes) text += part;
        })
        .on('end', finish)
        .on('error', finish);
    })
    .on('timeout', () => opened.destroy())
    .on('error', () => resolve(nothing))
    .end();
  return promise;
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
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
