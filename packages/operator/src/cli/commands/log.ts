// `portcullis log`: follows (`tail`), searches and exports the login log.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  exportLoginLogsEndpoint,
  type LoginLogFilter,
  type LoginLogItem,
  type LoginOutcome,
  type LoginReason,
  listLoginLogsEndpoint,
  loginOutcomes,
  loginReasons,
  tailLoginLogsEndpoint,
} from '@portcullis/contract';
import { type Command, Option } from 'commander';
import { countOf } from '../../terminal/count-of.ts';
import { addExamples } from '../../terminal/help.ts';
import { withInterrupt } from '../../terminal/interrupt.ts';
import { listAll } from '../../terminal/list-all.ts';
import { outputOf, paint, plain, shortMoment, table } from '../../terminal/output.ts';
import { parseMoment, parseNetwork, wholeNumber } from '../../terminal/parse-argument.ts';
import { createProgress } from '../../terminal/progress.ts';
import { withOperator } from '../with-store.ts';
import { addLogEvidence } from './log-evidence.ts';

export function addLog(program: Command): void {
  const log = program.command('log').description('The login log.');
  addTail(log);
  addList(log);
  addExport(log);
  addLogEvidence(log);
  addExamples(log, 'portcullis log tail');
}

interface FilterOptions {
  readonly user?: string;
  readonly ip?: string;
  readonly outcome?: LoginOutcome;
  readonly reason?: LoginReason;
  readonly from?: string;
  readonly to?: string;
}

function filterOptions(command: Command): Command {
  return command
    .option('--user <username>', 'only of this username')
    .option('--ip <address>', 'only from this address, or network such as 192.0.2.0/24', parseNetwork)
    .addOption(new Option('--outcome <name>', 'only of this outcome').choices(loginOutcomes))
    .addOption(new Option('--reason <name>', 'only of this reason').choices(loginReasons));
}

function rangeOptions(command: Command): Command {
  return command
    .option('--from <moment>', 'from this date or moment on, or 24h for a day ago', parseMoment)
    .option('--to <moment>', 'up to this date or moment', parseMoment);
}

function filterOf({ user, ...filter }: FilterOptions): LoginLogFilter {
  return { ...filter, ...(user === undefined ? {} : { username: user }) };
}

function addTail(log: Command): void {
  const tail = filterOptions(log.command('tail'))
    .summary('Follow it, record by record.')
    .description('Follow the login log until Ctrl-C: a line, or with --json an object, for each record.')
    .action((options: FilterOptions) =>
      withOperator(tail, (operator) =>
        withInterrupt(async (signal) => {
          const pieces = await operator.call(tailLoginLogsEndpoint, { query: filterOf(options), signal });
          const { json } = outputOf(tail);
          await writeAll(linesOf(announced(pieces), json ? JSON.stringify : lineOf), signal);
        }),
      ),
    );
  addExamples(tail, 'portcullis log tail --outcome failure', 'portcullis log tail --json --user mei');
}

/** Prints that records follow as soon as the first chunk arrives: from then on, every stored record is printed. */
async function* announced(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const piece of pieces) {
    if (isFirst && process.stderr.isTTY) process.stderr.write('New records follow. Ctrl-C ends this.\n');
    isFirst = false;
    yield piece;
  }
}

/** Converts server-sent events to lines. */
async function* linesOf(
  pieces: AsyncIterable<string>,
  write: (item: LoginLogItem) => string,
): AsyncGenerator<string> {
  for await (const piece of pieces)
    for (const event of piece.split('\n\n')) {
      const { data } = /^data: (?<data>.*)$/m.exec(event)?.groups ?? {};
      if (event.startsWith('event: gap'))
        process.stderr.write('There were too many records: some are left out.\n');
      else if (data !== undefined) yield `${write(JSON.parse(data) as LoginLogItem)}\n`;
    }
}

function lineOf(item: LoginLogItem): string {
  const [at, outcome, reason, ...cells] = cellsOf(item);
  const painted = paint(outcome === 'success' ? 'green' : 'red', outcome);
  return [at, painted, reason.padEnd('credentials_wrong'.length), ...cells.map(plain)].join('  ').trimEnd();
}

function cellsOf({ at, outcome, reason, username, ip, browser, os }: LoginLogItem) {
  const client = [browser, os].filter((part) => part !== null).join(' on ');
  return [shortMoment(at), outcome, reason, username ?? '-', ip ?? '-', client] as const;
}

interface ListOptions extends FilterOptions {
  readonly limit: number;
}

function addList(log: Command): void {
  const list = rangeOptions(filterOptions(log.command('list')))
    .summary('List its newest records.')
    .description('List the newest records of the login log.')
    .option('--limit <n>', 'how many, at most 100', wholeNumber(100), 20)
    .action(({ limit, ...options }: ListOptions) =>
      withOperator(list, async (operator) => {
        const query = { ...filterOf(options), limit };
        const { data } = await operator.call(listLoginLogsEndpoint, { query });
        outputOf(list).show(data, () =>
          data.items.length === 0
            ? 'There are no such records.'
            : table(['At', 'Outcome', 'Reason', 'Username', 'Address', 'Client'], data.items.map(cellsOf)),
        );
      }),
    );
  addExamples(list, 'portcullis log list --from 24h --outcome failure');
}

function addExport(log: Command): void {
  const exporting = rangeOptions(filterOptions(log.command('export')))
    .summary('Write it as CSV.')
    .description('Write the login log as CSV, or with --json as one object a line; newest first.')
    .action((options: FilterOptions) =>
      withOperator(exporting, (operator) =>
        withInterrupt(async (signal) => {
          const query = filterOf(options);
          const progress = createProgress();
          const { json } = outputOf(exporting);
          // The first line of CSV is the header, so the count starts at -1.
          let records = json ? 0 : -1;
          async function* counted(pieces: AsyncIterable<string>) {
            for await (const piece of pieces) {
              yield piece;
              records += piece.split('\n').length - 1;
              progress.show(countOf(records, 'record'));
            }
          }
          const pieces = json
            ? jsonLines(
                listAll(
                  async (page) =>
                    (await operator.call(listLoginLogsEndpoint, { query: { ...query, ...page } })).data,
                ),
              )
            : await operator.call(exportLoginLogsEndpoint, { query, signal });
          await writeAll(counted(pieces), signal).finally(progress.end);
        }),
      ),
    );
  addExamples(exporting, 'portcullis log export --from 2026-10-01 --to 2026-11-01 > october.csv');
}

async function* jsonLines(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

/** Writes until the reader closes the pipe, or until Ctrl-C. */
async function writeAll(pieces: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), process.stdout, { signal, end: false });
  } catch (error) {
    const isOver = signal.aborted || (error as NodeJS.ErrnoException).code === 'EPIPE';
    if (!isOver) throw error;
  }
}
