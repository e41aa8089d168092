// The type of a check of `portcullis doctor`. A check inspects one thing, changes nothing, and reports what
// it found and how to fix it.
import type { Examination } from '@portcullis/server/base/settings/config.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import type { ServerFacts } from './doctor-store.ts';

/** The input of every check. */
export interface CheckInput extends Examination {
  readonly settingsFile: string | undefined;
  /** The version of this program. */
  readonly version: string;
  readonly store: Store;
  /** Queries Postgres once; all checks share the result. */
  readonly readServer: () => Promise<ServerFacts>;
}

export type Status = 'well' | 'warning' | 'wrong' | 'skipped';

export interface Finding {
  readonly status: Status;
  /** A few words: the result, or the problem if there is one. */
  readonly text: string;
  /** How to fix the problem, in sentences. */
  readonly remedies: readonly string[];
}

export const groups = ['settings', 'host', 'postgres', 'access', 'log'] as const;

export interface Check {
  /** A stable id for scripts. */
  readonly id: string;
  readonly group: (typeof groups)[number];
  readonly title: string;
  /** Ids of checks that must succeed before this one can run. */
  readonly needs?: readonly string[];
  /** The reason shown for checks that are skipped because this one failed. */
  readonly obstacle?: string;
  readonly run: (input: CheckInput) => Finding | Promise<Finding>;
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

/** The finding of a lint, whose reasons name both the problem and the fix; undefined if the lint found nothing. */
export function wrongFor(reasons: readonly string[], text: string): Finding | undefined {
  const [first, ...others] = reasons;
  return first === undefined ? undefined : wrong(text, first, ...others);
}
