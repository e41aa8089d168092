// The changes that are not applied yet, by role and rule. They outlive a reload of the matrix, as far as they make sense.
import type { Matrix, MatrixRole } from './load-matrix.ts';

export type DraftMark = 'add' | 'remove';
/** Of each role (its id), the rules as `GET /path` with what becomes of them. */
export type Draft = ReadonlyMap<number, ReadonlyMap<string, DraftMark>>;

export interface Rule {
  readonly method: string;
  readonly path: string;
}

export interface RoleChanges {
  readonly role: MatrixRole;
  readonly add: readonly Rule[];
  readonly remove: readonly Rule[];
}

export function ruleText({ method, path }: Rule): string {
  return `${method} ${path}`;
}

/** A second toggle takes the first one back. */
export function toggleDraft(draft: Draft, roleId: number, rule: string, hasRule: boolean): Draft {
  const marks = new Map(draft.get(roleId));
  if (!marks.delete(rule)) marks.set(rule, hasRule ? 'remove' : 'add');
  return withMarks(draft, roleId, marks);
}

export function withoutRole(draft: Draft, roleId: number): Draft {
  return withMarks(draft, roleId, new Map());
}

export function countChanges(draft: Draft): number {
  return [...draft.values()].reduce((sum, marks) => sum + marks.size, 0);
}

/** In the order of the roles, each rule once. */
export function listChanges(draft: Draft, roles: readonly MatrixRole[]): RoleChanges[] {
  return roles.flatMap((role) => {
    const marks = draft.get(role.id);
    if (marks === undefined) return [];
    const of = (wanted: DraftMark) =>
      [...marks].filter(([, mark]) => mark === wanted).map(([rule]) => parseRuleText(rule));
    return [{ role, add: of('add'), remove: of('remove') }];
  });
}

/** What still changes something: a rule that is there is not added again, and one that is gone not removed. */
export function keepSensible(draft: Draft, { roles, routes }: Matrix): Draft {
  const places = new Map(routes.map((route, place) => [ruleText(route), place]));
  const kept = new Map<number, ReadonlyMap<string, DraftMark>>();
  for (const role of roles) {
    const marks = [...(draft.get(role.id) ?? [])].filter(([rule, mark]) => {
      const place = places.get(rule);
      return place !== undefined && (role.cells[place] === 'r') === (mark === 'remove');
    });
    if (marks.length > 0) kept.set(role.id, new Map(marks));
  }
  return kept;
}

function withMarks(draft: Draft, roleId: number, marks: ReadonlyMap<string, DraftMark>): Draft {
  const next = new Map(draft);
  if (marks.size === 0) next.delete(roleId);
  else next.set(roleId, marks);
  return next;
}

function parseRuleText(text: string): Rule {
  const space = text.indexOf(' ');
  return { method: text.slice(0, space), path: text.slice(space + 1) };
}
