// `portcullis user erase`, `erased` and `export`: erases a person (right to erasure), lists the receipts of erasures,
// and exports what is stored about a person (right of access).
import { text as readText } from 'node:stream/consumers';
import { AppError, type ErasureReceipt, eraseUserEndpoint, exportUserEndpoint } from '@portcullis/contract';
import type { Config } from '@portcullis/server/base/settings/config.ts';
import { findDeployment } from '@portcullis/server/cluster/store/deployment.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import { type Account, findAccount, reopenErasure } from '@portcullis/server/people/erasure/erasure-store.ts';
import {
  isOfAccount,
  isOwnReceipt,
  type KeptReceipt,
  listReceipts,
  parseReceipts,
} from '@portcullis/server/people/erasure/receipts.ts';
import type { Command } from 'commander';
import { composeOperator, type Operator } from '../../../compose-operator.ts';
import { confirmOrEnd } from '../../../terminal/ask.ts';
import { countOf } from '../../../terminal/count-of.ts';
import { enforcementOf } from '../../../terminal/enforcement.ts';
import { CommandFailure, exitCodes } from '../../../terminal/exit-codes.ts';
import { getUserNamed } from '../../../terminal/get-named.ts';
import { addExamples } from '../../../terminal/help.ts';
import { withInterrupt } from '../../../terminal/interrupt.ts';
import { fields, outputOf, shortMoment } from '../../../terminal/output.ts';
import { wholeNumber } from '../../../terminal/parse-argument.ts';
import { createProgress } from '../../../terminal/progress.ts';
import { readFile } from '../../../terminal/read-file.ts';
import { refusedAs } from '../../../terminal/refused-as.ts';
import { refusePending, waitForInstances, withStore } from '../../with-store.ts';

export function addUserErasure(user: Command): void {
  addErase(user);
  addErased(user);
  addExport(user);
}

interface EraseOptions {
  readonly id?: number;
  readonly again?: string;
  readonly yes?: boolean;
}

function addErase(user: Command): void {
  const erase = user
    .command('erase')
    .summary('Erase a person: nothing names the person any more.')
    .description(
      'Erase a person: end all sessions, delete the account, and make unreadable what names the person in both logs and\nelsewhere. The logs can still be verified. Prints a receipt, which names nobody: keep it. What was interrupted goes on\nwith the same command.',
    )
    .argument('[username]', 'whom')
    .option('--id <number>', 'the number of the account, also of a deleted user', wholeNumber())
    .option(
      '--again <file>',
      'after a backup was restored: all whom these receipts name; - for standard input',
    )
    .option('--yes', 'do not ask')
    .action((username: string | undefined, options: EraseOptions) =>
      withErasing(erase, async (erasing) => {
        if ([username, options.id, options.again].filter((given) => given !== undefined).length !== 1)
          throw new CommandFailure('Give a username, --id or --again.', exitCodes.usage);
        if (options.again !== undefined) await eraseAgain(erase, erasing, options.again, options);
        else await eraseOne(erase, erasing, username, options);
      }),
    );
  addExamples(
    erase,
    'portcullis user erase alice > alice-receipt.json --json',
    'portcullis user erase --id 7',
    'portcullis user erase --again /mnt/evidence/erased.jsonl',
  );
}

interface Erasing {
  readonly store: Store;
  readonly config: Config;
  readonly operator: Operator;
  erase(id: number): Promise<ErasureReceipt>;
}

async function withErasing(command: Command, work: (erasing: Erasing) => Promise<void>): Promise<void> {
  await withStore(command, async (store, config) => {
    await refusePending(store);
    const progress = createProgress();
    let erased = 0;
    const operator = await composeOperator(store, config, waitForInstances, (records) => {
      erased += records;
      progress.show(`${countOf(erased, 'record')} erased`);
    });
    const erase = async (id: number) => {
      const { data } = await operator.call(eraseUserEndpoint, { params: { id } }).finally(progress.end);
      return data;
    };
    await work({ store, config, operator, erase }).finally(operator.close);
  });
}

async function eraseOne(
  command: Command,
  { store, operator, erase }: Erasing,
  username: string | undefined,
  options: EraseOptions,
): Promise<void> {
  const id = options.id ?? (await getUserNamed(operator, username ?? '')).id;
  const account = await findAccount(store, id);
  if (account === undefined) throw new CommandFailure(`There is no account ${id}, and there was none.`);
  const who = account.username ?? `account ${id}`;
  await confirmOrEnd(`Erase ${who} permanently? The personal data cannot be restored.`, options);
  const conflict = `${who} is the last administrator who can log in. Give another user the role admin first.`;
  const receipt = await erase(id).catch(refusedAs({ conflict }));
  outputOf(command).show(receipt, () => describe(receipt, operator));
}

function describe(receipt: ErasureReceipt, operator: Operator): string {
  return [
    `Account ${receipt.userId} is erased. ${enforcementOf(operator)}`.trim(),
    fields({
      Erasure: receipt.erasure,
      'Login records': receipt.loginRecords,
      'Audit records': receipt.auditRecords,
      'Other rows': receipt.otherRows,
      'Audit log': receipt.auditSeq === null ? 'swept' : `record ${receipt.auditSeq}`,
      Finished: receipt.finishedAt === null ? 'not yet' : shortMoment(receipt.finishedAt),
    }),
    ...(receipt.unsealed === 0
      ? []
      : [
          `${countOf(receipt.unsealed, 'record')} of them had been changed before: \`portcullis log verify\` names the first.`,
        ]),
    'Keep the receipt (--json) where no backup is restored: `portcullis user erase --again` needs it after one.',
  ].join('\n');
}

/** The outcome for one receipt. */
type Again = 'erased' | 'another user' | 'unknown';

async function eraseAgain(
  command: Command,
  erasing: Erasing,
  file: string,
  options: EraseOptions,
): Promise<void> {
  const receipts = await readReceipts(erasing, file);
  await confirmOrEnd(`Erase again ${countOf(receipts.length, 'person', 'people')}?`, options);
  const counts: Record<Again, number> = { erased: 0, 'another user': 0, unknown: 0 };
  const refused: number[] = [];
  for (const receipt of receipts)
    try {
      counts[await eraseByReceipt(erasing, receipt)] += 1;
    } catch (error) {
      // A failure for one person does not stop the others. A failure that would affect all of them ends the command.
      if (!(error instanceof AppError) || error.kind === 'unavailable') throw error;
      refused.push(receipt.userId);
    }
  outputOf(command).show(counts, () =>
    [
      `${countOf(counts.erased, 'person is', 'people are')} erased again.`,
      ...(counts['another user'] === 0
        ? []
        : [`Left unchanged: ${counts['another user']} whose number another user has now.`]),
      ...(counts.unknown === 0
        ? []
        : [`Not there: ${counts.unknown}. The backup is older than their accounts.`]),
    ].join('\n'),
  );
  if (refused.length > 0)
    throw new CommandFailure(
      `Not erased: ${refused.map((id) => `account ${id}`).join(', ')}. Run \`portcullis user erase --id <number>\`, which says why, and then this command again.`,
    );
}

async function readReceipts({ store, config }: Erasing, file: string): Promise<KeptReceipt[]> {
  const receipts = parseReceipts(file === '-' ? await readText(process.stdin) : readFile(file));
  if (receipts === undefined)
    throw new CommandFailure(
      `${file} holds something else than receipts. \`portcullis user erased\` prints them.`,
      exitCodes.usage,
    );
  const deployment = await findDeployment(store);
  const strange = receipts.find((receipt) => !isOwnReceipt(config.chainKeys, deployment, receipt));
  if (strange !== undefined)
    throw new CommandFailure(
      `The receipt ${strange.erasure} is of another database, or neither master key signed it. Nothing was erased. Give the key of its time as \`auth.previousMasterKey\` (AUTH_PREVIOUS_MASTER_KEY), or leave it out.`,
      exitCodes.configuration,
    );
  return receipts;
}

async function eraseByReceipt({ store, config, erase }: Erasing, receipt: KeptReceipt): Promise<Again> {
  const account: Account | undefined = await findAccount(store, receipt.userId);
  if (account === undefined) return 'unknown';
  if (!isOfAccount(config.chainKeys, receipt, account)) return 'another user';
  await reopenErasure(store, receipt.userId);
  await erase(receipt.userId);
  return 'erased';
}

function addErased(user: Command): void {
  const erased = user
    .command('erased')
    .summary('Print the receipts of all who were erased.')
    .description(
      'Print the receipts of all who were erased, one a line. Keep them where no backup is restored: after one,\n`portcullis user erase --again` erases the same people again.',
    )
    .action(() =>
      withStore(erased, async (store) => {
        await refusePending(store);
        for await (const receipt of listReceipts(store)) process.stdout.write(`${JSON.stringify(receipt)}\n`);
      }),
    );
  addExamples(erased, 'portcullis user erased > /mnt/evidence/erased.jsonl');
}

function addExport(user: Command): void {
  const download = user
    .command('export')
    .summary('Print all that is stored about a person, as JSON.')
    .description(
      'Print all that is stored about a person, as JSON: account, sessions, factors, requests and both logs.',
    )
    .argument('[username]', 'whom')
    .option('--id <number>', 'the number of the account, also of a deleted user', wholeNumber())
    .action((username: string | undefined, { id: given }: { id?: number }) =>
      withErasing(download, async ({ operator }) => {
        if ((username === undefined) === (given === undefined))
          throw new CommandFailure('Give a username or --id.', exitCodes.usage);
        const id = given ?? (await getUserNamed(operator, username ?? '')).id;
        await withInterrupt(async (signal) => {
          const pieces = await operator.call(exportUserEndpoint, { params: { id }, signal });
          for await (const piece of pieces) process.stdout.write(piece);
        });
      }),
    );
  addExamples(download, 'portcullis user export alice > alice.json');
}
