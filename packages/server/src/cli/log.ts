// `portcullis log`
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { faults, type Problem } from '../login-log/evidence/chain-walk.ts';
import { type KeptHeads, parseKeptHeads, writeKeptHeads } from '../login-log/evidence/kept-heads.ts';
import { maintainLoginLog } from '../login-log/evidence/maintain.ts';
import type { Findings } from '../login-log/evidence/verifier.ts';
import { collectHeads, verifyLoginLog } from '../login-log/evidence/verify.ts';
import { StartRefusal } from '../start-refusal.ts';
import { withStore } from './with-store.ts';

const progressMilliseconds = 5000;

export function addLog(program: Command): void {
  const log = program.command('log').description('The login log.');
  log
    .command('verify')
    .description('Verify that nobody changed, removed or reordered records; exit with 1 where somebody did.')
    .option('--head <file>', 'what `portcullis log head` wrote at an earlier time')
    .option('--json', 'write what was found as JSON')
    .action((options: VerifyOptions) =>
      withStore(program, async (store, { chainKeys: keys }) => {
        const kept = options.head === undefined ? undefined : readKept(options.head, keys);
        const startedAt = performance.now();
        const findings = await verifyLoginLog(store, { keys, kept, onProgress: createProgress() });
        const seconds = (performance.now() - startedAt) / 1000;
        const text = options.json
          ? `${JSON.stringify({ ...findings, seconds })}\n`
          : describe(findings, seconds);
        process.stdout.write(text);
        if (findings.problems.length > 0) process.exitCode = 1;
      }),
    );
  log
    .command('head')
    .description(
      'Write how far the log reaches, signed, to be kept elsewhere for `portcullis log verify --head`.',
    )
    .action(() =>
      withStore(program, async (store, { chainKeys: keys }) => {
        const { strange, ...kept } = await collectHeads(store, keys);
        process.stdout.write(writeKeptHeads(keys[0], kept, new Date()));
        if (strange > 0)
          process.stderr.write(
            `Left out ${strange} heads that neither master key signed. Run \`log verify\`.\n`,
          );
      }),
    );
  log
    .command('maintain')
    .description(
      'Make the months ahead, and drop those older than `logger.retentionMonths`; monthly at least.',
    )
    .action(() =>
      withStore(
        program,
        async (store, { chainKeys: keys, loginLog }) => {
          const report = (line: string) => void process.stdout.write(`${line}\n`);
          const isDone = await maintainLoginLog(store, {
            keys,
            keptMonths: loginLog.retentionMonths,
            report,
          });
          if (!isDone) process.exitCode = 1;
        },
        { statementTimeoutMilliseconds: 0 },
      ),
    );
}

interface VerifyOptions {
  readonly head?: string;
  readonly json?: boolean;
}

function readKept(file: string, keys: Config['chainKeys']): KeptHeads {
  const kept = parseKeptHeads(keys, readFileSync(file, 'utf8'));
  if (kept === undefined)
    throw new StartRefusal([`${file} is not what \`portcullis log head\` wrote under these master keys.`]);
  return kept;
}

function createProgress(): (records: number) => void {
  let shownAt = performance.now();
  return (records) => {
    if (performance.now() - shownAt < progressMilliseconds) return;
    shownAt = performance.now();
    process.stderr.write(`${number(records)} records ...\n`);
  };
}

function describe({ problems, records, deadLetters, unchained, chains }: Findings, seconds: number): string {
  const figures = [
    `${number(records)} records of ${number(chains)} chains`,
    `${number(deadLetters)} of them put aside`,
    `${number(unchained)} without a chain`,
    `${number(Math.round(records / seconds))} a second`,
  ].join(', ');
  const verdict =
    problems.length === 0
      ? 'Nothing was changed, removed or reordered.'
      : `Problems: ${number(problems.length)}.`;
  return [...problems.map(describeProblem), `${figures}.`, verdict, ''].join('\n');
}

function describeProblem({ chain, seq, id, what }: Problem): string {
  if (chain === null) return `A record without a chain ${faults[what]}${id === null ? '' : `: ${id}`}.`;
  return `Chain ${chain}: record ${seq ?? 'without a number'}${id === null ? '' : ` (${id})`} ${faults[what]}.`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
