// Who was answered what: the other side of the log. Every attempt has a number, which it carries as its user agent, so
// that a row can be laid beside the attempt even without an answer.
import type { Database } from '../../rig/create-database.ts';
import { type AttemptKind, attemptKinds, loggedReason, type Telling, tellings } from './attempt-kinds.ts';

export interface Answered {
  readonly requestId: string;
  readonly told: Telling;
}

export interface AttemptBook {
  readonly sent: number;
  readonly answered: number;
  /** Writes an attempt down before it is sent. */
  open(kind: AttemptKind): number;
  /** Once the answer is complete. */
  close(number: number, answer: Answered): void;
  /** What was answered, by what the log calls it. */
  countReasons(): Record<string, number>;
  kindOf(number: number): AttemptKind;
  answerOf(number: number): Answered | undefined;
}

export function createAttemptBook(): AttemptBook {
  const kinds: number[] = [];
  const told: number[] = [];
  const requestIds: (string | undefined)[] = [];
  let answered = 0;
  const kindOf = (number: number) => attemptKinds[kinds[number] ?? -1] ?? fail(number);
  const answerOf = (number: number) => {
    const requestId = requestIds[number];
    return requestId === undefined
      ? undefined
      : { requestId, told: tellings[told[number] ?? -1] ?? fail(number) };
  };
  return {
    get sent() {
      return kinds.length;
    },
    get answered() {
      return answered;
    },
    open(kind) {
      requestIds.push(undefined);
      told.push(-1);
      return kinds.push(attemptKinds.indexOf(kind)) - 1;
    },
    close(number, answer) {
      requestIds[number] = answer.requestId;
      told[number] = tellings.indexOf(answer.told);
      answered += 1;
    },
    countReasons() {
      const counts: Record<string, number> = {};
      for (let number = 0; number < kinds.length; number += 1) {
        const answer = answerOf(number);
        if (answer === undefined) continue;
        const reason = loggedReason(kindOf(number), answer.told) ?? `impossible ${answer.told}`;
        counts[reason] = (counts[reason] ?? 0) + 1;
      }
      return counts;
    },
    kindOf,
    answerOf,
  };
}

export const agentOf = (number: number) => `attempt/${number}`;

export interface Comparison {
  readonly rows: number;
  /** Answered, and not in the log. */
  readonly missing: number;
  readonly missingSuccesses: number;
  readonly doubled: number;
  /** In the log with something else than was answered. */
  readonly wrong: number;
  /** In the log and never sent. */
  readonly foreign: number;
  /** In the log without an answer, as may be. */
  readonly unanswered: number;
  readonly deadLetters: number;
  /** By how many the counters of the hours differ from the rows. */
  readonly miscounted: number;
  /** The first ones of whatever is not as it must be. */
  readonly examples: readonly string[];
}

interface Row {
  readonly id: string;
  readonly user_agent: string;
  readonly request_id: string;
  readonly outcome: string;
  readonly reason: string;
}

const pageSize = 20_000;
const mostExamples = 10;

/** Lays the table beside the book. */
export async function compareWithTable(database: Database, book: AttemptBook): Promise<Comparison> {
  const counts = {
    rows: 0,
    missing: 0,
    missingSuccesses: 0,
    doubled: 0,
    wrong: 0,
    foreign: 0,
    unanswered: 0,
  };
  const examples: string[] = [];
  const note = (kind: 'missing' | 'doubled' | 'wrong' | 'foreign', text: string) => {
    counts[kind] += 1;
    if (examples.length < mostExamples) examples.push(`${kind}: ${text}`);
  };
  const seen = new Uint8Array(book.sent);
  for await (const row of readRows(database)) {
    counts.rows += 1;
    const number = Number(/^attempt\/(\d+)$/.exec(row.user_agent)?.[1] ?? -1);
    if (number < 0 || number >= book.sent) {
      note('foreign', JSON.stringify(row));
      continue;
    }
    const rowsOfIt = (seen[number] ?? 0) + 1;
    seen[number] = rowsOfIt;
    if (rowsOfIt === 2) note('doubled', JSON.stringify(row));
    const answer = book.answerOf(number);
    if (answer === undefined) counts.unanswered += 1;
    else if (!isOf(row, book.kindOf(number), answer))
      note('wrong', `${book.kindOf(number)} ${JSON.stringify(answer)} is ${JSON.stringify(row)}`);
  }
  for (let number = 0; number < book.sent; number += 1) {
    const answer = book.answerOf(number);
    if (answer === undefined || seen[number] !== 0) continue;
    if (answer.told === 'ok') counts.missingSuccesses += 1;
    note('missing', `${number} ${book.kindOf(number)} ${JSON.stringify(answer)}`);
  }
  const [letters] = await database.query<{ n: number }>(
    'select count(*)::int as n from login_log_dead_letters',
  );
  return { ...counts, deadLetters: letters?.n ?? 0, miscounted: await countMiscounted(database), examples };
}

/** What must not be, as failures. */
export function findProblems(comparison: Comparison, { mayLackFailures = false } = {}): string[] {
  const { missing, missingSuccesses, doubled, wrong, foreign, deadLetters, miscounted, examples } =
    comparison;
  const lost = mayLackFailures ? missingSuccesses : missing;
  const sum = lost + doubled + wrong + foreign + deadLetters + miscounted;
  if (sum === 0) return [];
  return [
    `${missing} missing (${missingSuccesses} of them successes), ${doubled} doubled, ${wrong} wrong, ${foreign} never sent, ${deadLetters} dead letters, ${miscounted} miscounted`,
    ...examples,
  ];
}

async function countMiscounted(database: Database): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select coalesce(sum(abs(coalesce(found.n, 0) - coalesce(counted.n, 0))), 0)::int as n
     from (select date_trunc('hour', at, 'UTC') as hour, reason, count(*) as n from login_log group by 1, 2) as found
     full join (select hour, reason, sum(n) as n from login_log_counts group by 1, 2) as counted using (hour, reason)`,
  );
  return row?.n ?? 0;
}

function isOf(row: Row, kind: AttemptKind, { requestId, told }: Answered): boolean {
  const outcome = told === 'ok' ? 'success' : 'failure';
  return row.request_id === requestId && row.outcome === outcome && row.reason === loggedReason(kind, told);
}

async function* readRows(database: Database): AsyncGenerator<Row> {
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const rows = await database.query<Row>(
      `select id, user_agent, request_id, outcome, reason from login_log where id > $1 order by id limit ${pageSize}`,
      [last],
    );
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

function fail(number: number): never {
  throw new Error(`Attempt ${number} is not in the book.`);
}
