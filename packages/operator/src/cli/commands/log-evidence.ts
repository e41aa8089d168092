// `portcullis log verify`, `log head` and `log maintain`
import type { Config } from '@portcullis/server/config.ts';
import { faults, type Problem } from '@portcullis/server/login-log/evidence/chain-walk.ts';
import {
  type KeptHeads,
  parseKeptHeads,
  writeKeptHeads,
} from '@portcullis/server/login-log/evidence/kept-heads.ts';
import { maintainLoginLog } from '@portcullis/server/login-log/evidence/maintain.ts';
import type { Findings } from '@portcullis/server/login-log/evidence/verifier.ts';
import { collectHeads, verifyLoginLog } from '@portcullis/server/login-log/evidence/verify.ts';
import type { Command } from 'commander';
import { countOf } from '../../terminal/count-of.ts';
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts';
import { addExamples } from '../../terminal/help.ts';
import { outputOf, paint } from '../../terminal/output.ts';
import { createProgress } from '../../terminal/progress.ts';
import { readFile } from '../../terminal/read-file.ts';
import { refusePending, withStore } from '../with-store.ts';

export function addLogEvidence(log: Command): void {
  addVerify(log);
  addHead(log);
  addMaintain(log);
}

function addVerify(log: Command): void {
  const verify = log
    .command('verify')
    .summary('Verify that nobody tampered with it.')
    .description('Verify that nobody changed, removed or reordered records.\nExits with 1 if somebody did.')
    .option('--head <file>', 'what `portcullis log head` wrote at an earlier time')
    .action(({ head }: { head?: string }) =>
      withStore(
        verify,
        async (store, { chainKeys: keys }) => {
          await refusePending(store);
          const kept = head === undefined ? undefined : readKept(head, keys);
          const beganAt = performance.now();
          const progress = createProgress();
          const findings = await verifyLoginLog(store, {
            keys,
            kept,
            onProgress: (records) => progress.show(countOf(records, 'record')),
          }).finally(progress.end);
          const seconds = (performance.now() - beganAt) / 1000;
          outputOf(verify).show({ ...findings, seconds }, () => describe(findings, seconds));
          if (findings.problems.length > 0) process.exitCode = exitCodes.refused;
        },
        { statementTimeoutMilliseconds: 0 },
      ),
    );
  addExamples(verify, 'portcullis log verify --head head-2026-10.json');
}

function addHead(log: Command): void {
  const head = log
    .command('head')
    .summary('Write a signed note of how far it reaches.')
    .description('Write a signed note of how far the log reaches, to be kept elsewhere for `log verify`.')
    .action(() =>
      withStore(head, async (store, { chainKeys: keys }) => {
        await refusePending(store);
        const { strange, ...kept } = await collectHeads(store, keys);
        // JSON in any case.
        process.stdout.write(writeKeptHeads(keys[0], kept, new Date()));
        if (strange > 0)
          process.stderr.write(
            `Left out ${countOf(strange, 'head')} that neither master key signed. Run \`log verify\`.\n`,
          );
      }),
    );
  addExamples(head, 'portcullis log head > head-2026-11.json');
}

function addMaintain(log: Command): void {
  const maintain = log
    .command('maintain')
    .summary('Create the partitions ahead, and drop old ones.')
    .description(
      'Create the partitions ahead, and drop months older than `logger.retentionMonths`.\nRun it at least monthly.',
    )
    .action(() =>
      withStore(
        maintain,
        async (store, { chainKeys: keys, loginLog }) => {
          await refusePending(store);
          const done: string[] = [];
          const progress = createProgress();
          const isDone = await maintainLoginLog(store, {
            keys,
            keptMonths: loginLog.retentionMonths,
            report: (line) => {
              done.push(line);
              progress.show(line);
            },
          }).finally(progress.end);
          outputOf(maintain).show({ isDone, done }, () => done.join('\n'));
          if (!isDone) process.exitCode = exitCodes.refused;
        },
        { statementTimeoutMilliseconds: 0 },
      ),
    );
  addExamples(maintain, 'portcullis log maintain');
}

function readKept(file: string, keys: Config['chainKeys']): KeptHeads {
  const kept = parseKeptHeads(keys, readFile(file));
  if (kept === undefined)
    throw new CommandFailure(
      `${file} is not what \`portcullis log head\` wrote under these master keys.`,
      exitCodes.configuration,
    );
  return kept;
}

function describe({ problems, records, deadLetters, unchained, chains }: Findings, seconds: number): string {
  const figures = [
    `${countOf(records, 'record')} of ${countOf(chains, 'chain')}`,
    `${deadLetters.toLocaleString('en')} of them put aside`,
    `${unchained.toLocaleString('en')} without a chain`,
    `${Math.round(records / seconds).toLocaleString('en')} a second`,
  ].join(', ');
  const verdict =
    problems.length === 0
      ? paint('green', 'Nothing was changed, removed or reordered.')
      : paint('red', `Problems: ${problems.length.toLocaleString('en')}.`);
  return [...problems.map(describeProblem), `${figures}.`, verdict].join('\n');
}

function describeProblem({ chain, seq, id, what }: Problem): string {
  if (chain === null) return `A record without a chain ${faults[what]}${id === null ? '' : `: ${id}`}.`;
  return `Chain ${chain}: record ${seq ?? 'without a number'}${id === null ? '' : ` (${id})`} ${faults[what]}.`;
}
