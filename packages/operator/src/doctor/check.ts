// A check of `portcullis doctor`: looks at one thing, changes nothing, and says what it found and what to do about it.
import type { Examination } from '@portcullis/server/base/settings/config.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import type { ServerFacts } from './doctor-store.ts';

/** What is looked at. */
export interface Patient extends Examination {
  readonly settingsFile: string | undefined;
  /** Of this program. */
  readonly version: string;
  readonly store: Store;
  /** Asked once, however many checks read it. */
  readonly readServer: () => Promise<ServerFacts>;
}

export type Status = 'well' | 'warning' | 'wrong' | 'skipped';

export interface Finding {
  readonly status: Status;
  /** A few words; where it is not well, what is the matter. */
  readonly text: string;
  /** What to do, in sentences. */
  readonly remedies: readonly string[];
}

export const groups = ['settings', 'host', 'postgres', 'access', 'log'] as const;

export interface Check {
  /** For scripts: it stays as it is. */
  readonly id: string;
  readonly group: (typeof groups)[number];
  readonly title: string;
  /** Ids of checks without whose good end this one cannot be made. */
  readonly needs?: readonly string[];
  /** Why checks that need this one are skipped where it is wrong. */
  readonly obstacle?: string;
  readonly look: (patient: Patient) => Finding | Promise<Finding>;
}

export function well(text: string): Finding {
  return { status: 'well', text, remedies: [] };
}

export function warning(text: string, ...remedies: readonly [string, ...string[]]): Finding {
  return { status: 'warning', text, remedies };
}

export function wrong(text: string, ...remedies: readonly [string, ...string[]]): Finding {
  return { status: 'wrong', text, remedies };
}

export function skipped(why: string): Finding {
  return { status: 'skipped', text: `skipped: ${why}`, remedies: [] };
}

/** The finding of a lint, whose reasons say both what is wrong and what to do; undefined where there is none. */
export function wrongFor(reasons: readonly string[], text: string): Finding | undefined {
  const [first, ...others] = reasons;
  return first === undefined ? undefined : wrong(text, first, ...others);
}
