// Host memory against lost history: keeps the newest revision that this host reported, as the name of an empty file, for a
// process that starts after all others have ended. The file exists before the report is sent, so the host knows every change that
// waited for this instance.
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Revision } from '@portcullis/gate';

export interface HostMemory {
  /** The newest revision that the host knew when this process started; several when two histories used the same number. */
  readonly known: readonly Revision[];
  /** Resolves when the revision is stored, or after a timeout: a failing disk must not stop the service. */
  keep(revision: Revision): Promise<void>;
}

const nameShape = /^(0|[1-9]\d{0,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

interface HostMemoryOptions {
  readonly folder: string;
  readonly patienceMilliseconds: number;
  readonly onFailure: (cause: unknown) => void;
}

/** Throws when the folder cannot be read, because its content is then unknown. A missing folder is a first start. */
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
  /** While a write hangs, no other one starts: hanging writes would occupy every thread. */
  let isWriting = false;
  /** Revisions with a file in the folder; each newer revision removes the older ones. */
  let older = found;

  async function write(revision: Revision): Promise<void> {
    const file = await open(join(folder, nameOf(revision)), 'a', 0o600);
    await file.close();
    // Only afterwards: a process that reads meanwhile finds both, and uses the greater number.
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
        // The next report retries.
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
  // A later failure was already reported as the timeout.
  work.catch(() => {});
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
