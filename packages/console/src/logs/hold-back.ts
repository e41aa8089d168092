// Holds new records back above the visible rows, so that they do not move while the user reads.
interface Identified {
  readonly id: string;
}

export interface HeldBack<Row> {
  readonly shown: readonly Row[];
  readonly held: readonly Row[];
}

/** The visible rows stay. Rows older than all of them are appended; all others are held back. */
export function holdBack<Row extends Identified>(
  shown: readonly Row[],
  latest: readonly Row[],
): HeldBack<Row> {
  const last = shown.at(-1);
  if (last === undefined) return { shown: latest, held: [] };
  const known = new Set(shown.map(({ id }) => id));
  const others = latest.filter(({ id }) => !known.has(id));
  const older = others.filter(({ id }) => id < last.id);
  return {
    shown: older.length === 0 ? shown : [...shown, ...older],
    held: others.filter(({ id }) => id > last.id),
  };
}
