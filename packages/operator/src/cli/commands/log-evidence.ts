// `portcullis log verify`, `log head` and `log maintain`: verifies the hash chains of both logs, exports their heads
// (anchors), and runs partition maintenance and retention.

import { findDeployment } from '@portcullis/server/cluster/store/deployment.ts';
import { composeErasure } from '@portcullis/server/compose/erasure.ts';
import { composeLogin } from '@portcullis/server/compose/login.ts';
import { AuditLogRewritten } from '@portcullis/server/logs/audit/sign-audit-head.ts';
import {
  type AuditFindings,
  type AuditProblem,
  auditFaults,
} from '@portcullis/server/logs/audit/verify-audit.ts';
import { sweepAuditLog } from '@portcullis/server/logs/evidence/audit-log-retention.ts';
import { faults, type Problem } from '@portcullis/server/logs/evidence/chain-walk.ts';
import { maintainLoginLog } from '@portcullis/server/logs/evidence/login-log-retention.ts';
import type { Findings } from '@portcullis/server/logs/evidence/verifier.ts';
import { verifyAudit, verifyLoginLog, writeHeads } from '@portcullis/server/logs/evidence/verify.ts';
import { maintainErasures } from '@portcullis/server/people/erasure/maintain-erasures.ts';
import type { Command } from 'commander';
import { countOf } from '../../terminal/count-of.ts';
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts';
import { addExamples } from '../../terminal/help.ts';
import { outputOf, paint } from '../../terminal/output.ts';
import { createProgress } from '../../terminal/progress.ts';
import { refusePending, withStore } from '../with-store.ts';
import { readAnchors } from './read-anchors.ts';

export function addLogEvidence(log: Command): void {
  addVerify(log);
  addHead(log);
  addMaintain(log);
}

interface VerifyOptions {
  readonly anchor: readonly string[];
}

function addVerify(log: Command): void {
  const verify = log
    .command('verify')
    .summary('Verify that the login log and the audit log were not changed.')
    .description(
      'Verify that no record of the login log or the audit log was changed, removed or reordered.\nExits with 1 if one was, and with 3 if nothing was found without an anchor.',
    )
    .option(
      '--anchor <place>',
      'heads that were kept elsewhere: a file, a folder of them, or an https:// address; may be repeated',
      (place: string, others: readonly string[]) => [...others, place],
      [],
    )
    .action(({ anchor }: VerifyOptions) =>
      withStore(
        verify,
        async (store, config) => {
          await refusePending(store);
          const kept = await readAnchors(anchor, await findDeployment(store), config);
          const beganAt = performance.now();
          const progress = createProgress();
          const onProgress = (records: number) => progress.show(countOf(records, 'record'));
          const options = { keys: config.chainKeys, kept, onProgress };
          const login = await verifyLoginLog(store, options).finally(progress.end);
          const audit = await verifyAudit(store, options).finally(progress.end);
          const seconds = (performance.now() - beganAt) / 1000;
          const anchored = { login: kept !== undefined, audit: (kept?.audit ?? []).length > 0 };
          const verified = { ...login, audit, anchored, seconds };
          outputOf(verify).show(verified, () => describe(verified));
          process.exitCode = codeOf(verified);
        },
        { statementTimeoutMilliseconds: 0 },
      ),
    );
  addExamples(
    verify,
    'portcullis log verify --anchor /mnt/evidence/heads',
    'portcullis log verify --anchor head-2026-10.json',
  );
}

interface Verified extends Findings {
  readonly audit: AuditFindings;
  readonly anchored: { readonly login: boolean; readonly audit: boolean };
  readonly seconds: number;
}

function codeOf({ problems, audit, anchored }: Verified): number {
  if (problems.length + audit.problems.length > 0) return exitCodes.refused;
  return anchored.login && anchored.audit ? exitCodes.done : exitCodes.notAnchored;
}

function addHead(log: Command): void {
  const head = log
    .command('head')
    .summary('Write a signed note of how far both logs reach.')
    .description(
      'Write a signed note of how far the login log and the audit log reach, to be kept elsewhere for `log verify`.',
    )
    .action(() =>
      withStore(head, async (store, { chainKeys: keys }) => {
        await refusePending(store);
        const { strange, text } = await writeHeads(store, keys, new Date()).catch(refuseRewritten);
        // The output is JSON with and without `--json`.
        process.stdout.write(text);
        if (strange > 0)
          process.stderr.write(
            `Left out ${countOf(strange, 'head')} that neither master key signed. Run \`log verify\`.\n`,
          );
      }),
    );
  addExamples(head, 'portcullis log head > head-2026-11.json');
}

function refuseRewritten(error: unknown): never {
  throw error instanceof AuditLogRewritten ? new CommandFailure(error.message) : error;
}

function addMaintain(log: Command): void {
  const maintain = log
    .command('maintain')
    .summary('Create the partitions ahead, and drop old months.')
    .description(
      'Create the partitions ahead, and drop months older than `logger.retentionMonths`; of the audit log, those older than `logger.auditRetentionMonths`.\nErase what came late of people who were erased. Run it at least monthly.',
    )
    .action(() =>
      withStore(
        maintain,
        async (store, config) => {
          await refusePending(store);
          const { chainKeys: keys, loginLog } = config;
          const done: string[] = [];
          const progress = createProgress();
          const report = (line: string) => {
            done.push(line);
            progress.show(line);
          };
          async function maintainBoth(): Promise<boolean> {
            const login = composeLogin(store, config, undefined);
            const work = composeErasure({ store, config, login });
            await maintainErasures(store, { keys, work, report }).finally(login.close);
            const { retentionMonths, auditRetentionMonths } = loginLog;
            const ofLogin = { keys, keptMonths: retentionMonths, report };
            const isDropped = await maintainLoginLog(store, ofLogin);
            const ofAudit = { keys, keptMonths: auditRetentionMonths, report, now: new Date() };
            return (await sweepAuditLog(store, ofAudit)) && isDropped;
          }
          const isDone = await maintainBoth().finally(progress.end);
          outputOf(maintain).show({ isDone, done }, () => done.join('\n'));
          if (!isDone) process.exitCode = exitCodes.refused;
        },
        { statementTimeoutMilliseconds: 0 },
      ),
    );
  addExamples(maintain, 'portcullis log maintain');
}

function describe({ problems, audit, anchored, seconds, ...login }: Verified): string {
  const figures = [
    `${countOf(login.records, 'record')} of ${countOf(login.chains, 'chain')}`,
    `${login.deadLetters.toLocaleString('en')} of them put aside`,
    `${login.unchained.toLocaleString('en')} without a chain`,
    ...(login.erased === 0 ? [] : [`${login.erased.toLocaleString('en')} erased`]),
  ].join(', ');
  const perSecond = Math.round((login.records + audit.records + audit.swept) / seconds).toLocaleString('en');
  return [
    ...problems.map(describeProblem),
    ...audit.problems.map(describeAuditProblem),
    `Login log: ${figures}.`,
    `Audit log: ${countOf(audit.records, 'record')}${describeSwept(audit)}${describeErased(audit)}. ${perSecond} records a second.`,
    ...describeVerdict(problems.length + audit.problems.length, anchored),
    ...describeKeys([...problems, ...audit.problems]),
  ].join('\n');
}

function describeSwept({ swept, sweptBefore }: AuditFindings): string {
  if (sweptBefore === null) return '';
  return `; ${swept.toLocaleString('en')} from before ${sweptBefore.slice(0, 10)} were swept`;
}

function describeErased({ erased }: AuditFindings): string {
  return erased === 0 ? '' : `; ${erased.toLocaleString('en')} were erased`;
}

function describeVerdict(problems: number, { login, audit }: Verified['anchored']): string[] {
  if (problems > 0) return [paint('red', `Problems: ${problems.toLocaleString('en')}.`)];
  if (login && audit) return [paint('green', 'Nothing was changed, removed or reordered.')];
  return [
    'What is there fits together.',
    paint('yellow', 'Not anchored: whether records were cut off at the end cannot be seen.'),
    'Give heads that were kept elsewhere with --anchor; `logger.anchorFolder` and `logger.anchorUrl` keep them.',
  ];
}

/**
 * A master key that was changed without setting the previous one causes the same problems as tampering, so the
 * report names both causes.
 */
function describeKeys(problems: readonly (Problem | AuditProblem)[]): string[] {
  const ofKeys = problems.filter(({ what }) => /^(unbound|head_changed|checkpoint_changed)$/.test(what));
  if (ofKeys.length === 0) return [];
  const which = ofKeys.length === problems.length ? 'All of them' : `${ofKeys.length} of them`;
  return [
    `${which} would also be seen after a change of the master key: give the one before as \`auth.previousMasterKey\` (AUTH_PREVIOUS_MASTER_KEY) and verify again.`,
  ];
}

function describeProblem({ chain, seq, id, what }: Problem): string {
  if (chain === null)
    return `Login log: a record without a chain ${faults[what]}${id === null ? '' : `: ${id}`}.`;
  return `Login log, chain ${chain}: record ${seq ?? 'without a number'}${id === null ? '' : ` (${id})`} ${faults[what]}.`;
}

function describeAuditProblem({ seq, id, what }: AuditProblem): string {
  const where = seq === null ? 'a record' : `record ${seq}`;
  return `Audit log: ${where}${id === null ? '' : ` (${id})`} ${auditFaults[what]}.`;
}
