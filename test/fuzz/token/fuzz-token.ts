// Mutated tokens by all three carriers: none may be accepted that differs from an issued one in any byte, even if it is
// signed. From time to time the unchanged token is sent, which must be accepted.
import { carriers } from '../../rig/carriers.ts';
import { startService } from '../../rig/start-service.ts';
import { type Fuzzer, type FuzzResult, type FuzzRun, patience } from '../fuzzer.ts';
import { createPipelineClient, type PipelineClient, type WireRequest } from '../pipeline-client.ts';
import type { Random } from '../random.ts';
import { runCases } from '../run-cases.ts';
import { type Issued, issueTokens } from './issued.ts';
import { signedMutators } from './signed-mutators.ts';
import { hugeMutator, type TokenMutator, textMutators } from './text-mutators.ts';

export const fuzzToken: Fuzzer = {
  title: 'mutated tokens by all carriers against the running service',
  defaultCases: 20_000,
  smallCases: 6000,
  run,
};

const connections = 16;
const atOnce = 128;
const casesPerControl = 50;
const casesPerHugeToken = 5000;
const mutators: readonly (readonly [string, TokenMutator])[] = Object.entries({
  ...textMutators,
  ...signedMutators,
});

interface Counts {
  readonly texts: ReadonlySet<string>;
  mutated: number;
  unchanged: number;
  accepted: number;
  faults: number;
}

async function run(fuzz: FuzzRun): Promise<FuzzResult> {
  const service = await startService({
    mode: 'prod',
    settings: { ...patience, AUTH_TOKEN_LIFETIME_SECONDS: '86400' },
  });
  const client = createPipelineClient(service.server.port, connections);
  try {
    const issued = await issueTokens(service);
    const texts = new Set(issued.tokens.map(({ text }) => text));
    const counts: Counts = { texts, mutated: 0, unchanged: 0, accepted: 0, faults: 0 };
    const runCase = (random: Random, index: number) => presentOne(random, index, issued, client, counts);
    const result = await runCases(fuzz, { name: 'token', server: service.server, atOnce, runCase });
    const failures = [...result.failures];
    if (client.unasked > 0) failures.push(`${client.unasked} bytes of answers that nothing asked for`);
    return {
      passed: result.passed,
      failures,
      remarks: [
        `${mutators.length + 1} mutators; ${counts.mutated} changed tokens, ${counts.accepted} of them accepted; ${counts.unchanged} unchanged ones`,
        `${counts.faults} faults (5xx or no answer); ${result.casesPerSecond} cases a second`,
      ],
    };
  } finally {
    client.close();
    await service.stop();
  }
}

async function presentOne(
  random: Random,
  index: number,
  issued: Issued,
  client: PipelineClient,
  counts: Counts,
): Promise<string | undefined> {
  const token = random.pick(issued.tokens);
  const [name, mutate] = pickMutator(random, index);
  const text = mutate(random, token, issued);
  const carrier = random.pick(carriers.filter((candidate) => mayCarry(candidate, text)));
  const { status, reason, body } = await client.send(present(text, carrier));
  const isIssued = counts.texts.has(text);
  const isAccepted = status === 200 && body.code === 200;
  const isFault = status === 0 || status >= 500;
  counts[isIssued ? 'unchanged' : 'mutated'] += 1;
  if (isAccepted && !isIssued) counts.accepted += 1;
  if (isFault) counts.faults += 1;
  const isRefused = body.code === 401 && reason?.startsWith('token_') === true;
  const isAsExpected = isIssued ? isAccepted : isRefused || status === 400 || status === 404;
  if (isAsExpected && !isFault) return undefined;
  return `${name}, by ${carrier}: answered ${status} ${reason ?? ''} ${JSON.stringify(body)}\n  ${describe(text)}`;
}

function describe(text: string): string {
  const [header = '', payload = ''] = text
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString());
  return `${JSON.stringify(text.slice(0, 1500))}\n  ${header.slice(0, 300)} ${payload.slice(0, 600)}`;
}

function pickMutator(random: Random, index: number): readonly [string, TokenMutator] {
  if (index % casesPerControl === 0) return ['the unchanged token', (_random, { text }) => text];
  if (index % casesPerHugeToken === 1) return ['a token of a megabyte', hugeMutator];
  return random.pick(mutators);
}

/** Some carriers end a value where others go on: then what arrives there is the unchanged token. */
function mayCarry(carrier: (typeof carriers)[number], text: string): boolean {
  if (carrier === 'cookie') return !text.includes(';');
  return carrier === 'header' || !/[&#]/.test(text);
}

function present(text: string, carrier: (typeof carriers)[number]): WireRequest {
  const target = carrier === 'query' ? `/api/v1/context?token=${text}` : '/api/v1/context';
  const line = { header: `Authorization: Bearer ${text}\r\n`, query: '', cookie: `Cookie: jwt=${text}\r\n` }[
    carrier
  ];
  const bytes = `GET ${target} HTTP/1.1\r\nHost: rig\r\n${line}\r\n`;
  return { bytes, isAlone: /[^\x21-\x7e]/.test(text) || bytes.length > 8000 };
}
