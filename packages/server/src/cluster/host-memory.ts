// What this host knows of the history, for a process that starts after all others have ended: the newest revision that
// was reported from here, as the name of an empty file. It is there before the report is sent, so a change that waited
// for this instance is never unknown to its host.
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Revision } from '@portcullis/gate';

export interface HostMemory {
  /** The newest that the host knew when this process started; more than one where histories with one number met here. */
  readonly known: readonly Revision[];
  /** Resolves when it is kept, or when patience ends: a disk that fails must not shut the gate. */
  keep(revision: Revision): Promise<void>;
}

const nameShape = /^(0|[1-9]\d{0,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

interface HostMemoryOptions {
  readonly folder: string;
  readonly patienceMilliseconds: number;
  readonly onFailure: (cause: unknown) => void;
}

/** Where it cannot be read, nobody can say what is in it: throws. A folder that is not there is a first start. */
export async function openHostMemory({
  folder,
  patienceMilliseconds,
  onFailure,
}: HostMemoryOptions): Promise<HostMemory> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  const found = (await readdir(folder)).map(revisionOf);
  const newest = Math.max(-1, ...found.map(({ n }) => n));
  let kept: Revision | undefined;
  let isFailing = false;
  /** One that the disk has not answered is not followed by another: they would take every thread. */
  let isWriting = false;
  /** Files of revisions that are older than the one that is kept. */
  let older = found;

  async function write(revision: Revision): Promise<void> {
    const file = await open(join(folder, nameOf(revision)), 'a', 0o600);
    await file.close();
    // Afterwards: whoever reads meanwhile finds both, and goes by the greater number.
    const obsolete = older.filter(({ n }) => n < revision.n);
    older = [...older.filter(({ n }) => n >= revision.n), revision];
    for (const each of obsolete) await rm(join(folder, nameOf(each)), { force: true });
  }

  return {
    known: found.filter(({ n }) => n === newest),
    async keep(revision) {
      if (revision.n < 0 || (revision.n === kept?.n && revision.mark === kept.mark)) return;
      try {
        if (isWriting) throw new Error('The disk does not answer.');
        isWriting = true;
        const writing = write(revision).finally(() => {
          isWriting = false;
        });
        await within(patienceMilliseconds, writing);
        kept = revision;
        isFailing = false;
      } catch (cause) {
        // The next report tries again.
        if (!isFailing) onFailure(cause);
        isFailing = true;
      }
    },
  };
}

function nameOf({ n, mark }: Revision): string {
  return `${n}.${mark}`;
}

function revisionOf(name: string): Revision {
  const [, n, mark] = nameShape.exec(name) ?? [];
  if (n === undefined || mark === undefined) throw new Error(`"${name}" is not of this program.`);
  return { n: Number(n), mark };
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The disk does not answer.')), milliseconds);
  // One that fails later has been told of already.
  work.catch(() => {});
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
