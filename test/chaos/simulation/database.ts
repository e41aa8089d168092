// Postgres as the statements of cluster/*-store.ts see it: each is executed at one moment, in whole.
import type { ReportResult, Revision } from '@portcullis/gate';
import { wallStart } from './host.ts';
import { listWrites, type World } from './world.ts';

export interface StoredRevision extends Revision {
  readonly write: number | undefined;
}

interface Row {
  readonly revision: number | undefined;
  /** What a failover may set it back to; undefined where there was no row. */
  readonly previous: number | undefined;
}

export interface Snapshot {
  readonly revision: Revision;
  readonly writes: number;
}

export interface WrittenRevision extends Revision {
  readonly incarnation: string;
}

export interface View {
  readonly lowest: number | undefined;
  readonly instances: number;
  readonly incarnation: string;
  readonly membershipComplete: boolean;
  readonly leaseMilliseconds: number;
}

export interface Database {
  readonly incarnation: string;
  /** Differs after everything that broke all connections. */
  readonly connection: number;
  readonly isLatched: boolean;
  raiseLease(milliseconds: number): void;
  insertRow(id: string, revision: number): void;
  deleteRow(id: string): void;
  /** A report's snapshot; with its change of the row, which may come later, where it waited for the row's lock. */
  beginReport(id: string): (revision: number) => ReportResult | undefined;
  markMembershipComplete(incarnation: string): void;
  latch(found: Revision): void;
  look(): View;
  deleteSilent(written: { readonly n: number; readonly incarnation: string }): void;
  /** The write is a number from 0 to 30. */
  commit(write: number): WrittenRevision;
  listRevisionsFrom(n: number): readonly StoredRevision[];
  readAll(): Snapshot;
  sweepRevisions(): void;
  restart(): void;
  /** Rows may be lost, set back or brought back; revisions only where it is said. */
  failOver(losesRevisions: boolean): void;
  recover(): void;
}

const shortestLeaseMilliseconds = 2000;

export function createDatabase(world: World): Database {
  const { chance } = world;
  const { HistoryLost } = world.product;
  const rows = new Map<string, Row>();
  let revisions: StoredRevision[] = [{ n: 1, mark: 'm1', write: undefined }];
  let marks = 1;
  let writes = 0;
  let leaseMilliseconds = shortestLeaseMilliseconds;
  let timeline = 1;
  let starts = 1;
  let settledIn = chance.happens(950) ? incarnation() : '';
  let isLatched = false;

  function incarnation(): string {
    return `${timeline}@${starts}`;
  }

  function newest(): StoredRevision {
    const last = revisions.at(-1);
    if (last === undefined) throw new Error('The row of the current revision is missing.');
    return last;
  }

  function setRow(id: string, revision: number | undefined): void {
    rows.set(id, { revision, previous: rows.get(id)?.revision });
  }

  function listRows(): { readonly id: string; readonly revision: number }[] {
    const listed = [];
    for (const [id, { revision }] of rows) if (revision !== undefined) listed.push({ id, revision });
    return listed;
  }

  function refuseLostHistory(): void {
    if (isLatched) throw new HistoryLost('An instance enforced what this database has forgotten');
  }

  function append(n: number, write: number | undefined): WrittenRevision {
    marks += 1;
    const mark = `m${marks}`;
    revisions.push({ n, mark, write });
    return { n, mark, incarnation: incarnation() };
  }

  function loseRows(): void {
    // It was stored before any of them: with it all of them are lost.
    const losesLease = chance.happens(250);
    if (losesLease) leaseMilliseconds = shortestLeaseMilliseconds;
    for (const [id, row] of rows) {
      const revision = losesLease
        ? undefined
        : chance.pick([row.revision, row.revision, row.previous, undefined]);
      if (revision !== row.revision) {
        if (revision !== undefined && row.revision === undefined) world.see('rowBroughtBack');
        if (revision === undefined) world.see('rowLost');
        world.tell(() => `        the failover leaves row ${id} at ${revision} instead of ${row.revision}`);
      }
      rows.set(id, { revision, previous: undefined });
    }
  }

  function loseRevisions(): void {
    for (let left = 1 + chance.below(2); left > 0 && revisions.length > 1; left--) {
      const lost = revisions.pop();
      if (lost?.write === undefined) continue;
      world.see('revisionLost');
      world.lost |= 1 << lost.write;
      world.lostAt.set(lost.write, world.now);
      writes &= ~(1 << lost.write);
      world.tell(() => `        the failover loses revision ${lost.n} ${lost.mark} (w${lost.write})`);
    }
  }

  return {
    get incarnation() {
      return incarnation();
    },
    get connection() {
      return starts;
    },
    get isLatched() {
      return isLatched;
    },
    raiseLease(milliseconds) {
      leaseMilliseconds = Math.max(leaseMilliseconds, milliseconds);
    },
    insertRow(id, revision) {
      refuseLostHistory();
      if (rows.get(id)?.revision !== undefined) throw new Error('The row is there already.');
      setRow(id, revision);
    },
    deleteRow: (id) => setRow(id, undefined),
    beginReport(id) {
      const { n, mark } = newest();
      const found = { n, mark, leaseMilliseconds, incarnation: incarnation() };
      const membershipComplete = settledIn === incarnation();
      const wasThere = rows.get(id)?.revision !== undefined;
      return (revision) => {
        const stored = rows.get(id)?.revision;
        if (!wasThere || stored === undefined) return undefined;
        refuseLostHistory();
        if (revision < stored) world.see('reportOvertaken');
        setRow(id, Math.max(stored, revision));
        return { ...found, membershipComplete, at: wallStart + world.now, instances: listRows().length };
      };
    },
    markMembershipComplete(given) {
      if (given === incarnation()) settledIn = given;
    },
    latch({ n, mark }) {
      if (!revisions.some((revision) => revision.n === n && revision.mark === mark)) return;
      if (!isLatched) world.see('latched');
      isLatched = true;
    },
    look() {
      const all = listRows();
      return {
        lowest: all.length === 0 ? undefined : Math.min(...all.map(({ revision }) => revision)),
        instances: all.length,
        incarnation: incarnation(),
        membershipComplete: settledIn === incarnation(),
        leaseMilliseconds,
      };
    },
    deleteSilent(written) {
      if (written.incarnation !== incarnation()) return;
      for (const { id, revision } of listRows()) {
        if (revision >= written.n) continue;
        world.see('rowRemoved');
        world.tell(() => `        row ${id} at ${revision} is removed, for revision ${written.n}`);
        setRow(id, undefined);
      }
    },
    commit(write) {
      writes |= 1 << write;
      return append(newest().n + 1, write);
    },
    listRevisionsFrom: (n) => revisions.filter((revision) => revision.n >= n),
    readAll() {
      const { n, mark } = newest();
      return { revision: { n, mark }, writes };
    },
    sweepRevisions() {
      revisions = revisions.slice(-1);
    },
    restart() {
      starts += 1;
      world.tell(() => `        the database restarts`);
    },
    failOver(losesRevisions) {
      timeline += 1;
      starts += 1;
      world.tell(() => `        the database fails over; it holds ${listWrites(writes)}`);
      loseRows();
      if (losesRevisions) loseRevisions();
    },
    recover() {
      world.see('recovered');
      isLatched = false;
      const { n } = newest();
      revisions = [];
      append(n + 1_000_000, undefined);
    },
  };
}
