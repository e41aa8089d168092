// The draft: changes that are not applied yet, by role and rule. Changes that still make sense
// survive a reload of the matrix.
import type { Matrix, MatrixRole } from './load-matrix.ts';

export type DraftMark = 'add' | 'remove';
/** For each role id, the rules (`GET /path`) with their planned change. */
export type Draft = ReadonlyMap<number, ReadonlyMap<string, DraftMark>>;

export interface Rule {
  readonly method: string;
  readonly path: string;
}

/** A role whose rules change, with the revision on which the change is based. */
export type ChangedRole = Pick<MatrixRole, 'id' | 'roleKey' | 'name' | 'enabled' | 'revision'>;

export interface RoleChanges {
  readonly role: ChangedRole;
  readonly add: readonly Rule[];
  readonly remove: readonly Rule[];
}

export function ruleText({ method, path }: Rule): string {
  return `${method} ${path}`;
}

/** A second toggle undoes the first. */
export function toggleDraft(draft: Draft, roleId: number, rule: string, hasRule: boolean): Draft {
  return toggleRules(draft, roleId, new Map([[rule, hasRule]]));
}

/** Each rule with a flag: whether the role has it. */
export function toggleRules(draft: Draft, roleId: number, rules: ReadonlyMap<string, boolean>): Draft {
  const marks = new Map(draft.get(roleId));
  for (const [rule, hasRule] of rules) if (!marks.delete(rule)) marks.set(rule, hasRule ? 'remove' : 'add');
  return withMarks(draft, roleId, marks);
}

/** Sets the planned change of each rule, replacing an earlier one in the draft. */
export function draftRules(
  draft: Draft,
  roleId: number,
  { add, remove }: { readonly add: readonly Rule[]; readonly remove: readonly Rule[] },
): Draft {
  const marks = new Map(draft.get(roleId));
  for (const rule of add) marks.set(ruleText(rule), 'add');
  for (const rule of remove) marks.set(ruleText(rule), 'remove');
  return withMarks(draft, roleId, marks);
}

/** For each role, the removed rules that cover more than one endpoint. */
export function listWiderRemovals(
  draft: Draft,
  routes: readonly Rule[],
): { readonly roleId: number; readonly rules: readonly Rule[] }[] {
  const own = new Set(routes.map(ruleText));
  return [...draft].flatMap(([roleId, marks]) => {
    const gone = [...marks].filter(([rule, mark]) => mark === 'remove' && !own.has(rule));
    return gone.length === 0 ? [] : [{ roleId, rules: gone.map(([rule]) => parseRuleText(rule)) }];
  });
}

/** For display only: marks these endpoints as lost, unless the draft already changes them. */
export function showLost(draft: Draft, roleId: number, lost: readonly string[]): Draft {
  const marks = new Map<string, DraftMark>(lost.map((rule) => [rule, 'remove']));
  return withMarks(draft, roleId, new Map([...marks, ...(draft.get(roleId) ?? [])]));
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

/**
 * Keeps only changes with an effect: an existing rule is not added again, and a missing rule is not removed. The matrix
 * does not show whether a wider rule exists: its removal is kept, its addition is dropped.
 */
export function keepSensible(draft: Draft, { roles, routes, isPart }: Matrix): Draft {
  const places = new Map(routes.map((route, place) => [ruleText(route), place]));
  const known = new Set(roles.map(({ id }) => id));
  // The state of roles that are still loading is unknown.
  const kept = new Map(isPart ? [...draft].filter(([roleId]) => !known.has(roleId)) : []);
  for (const role of roles) {
    const marks = [...(draft.get(role.id) ?? [])].filter(([rule, mark]) => {
      const place = places.get(rule);
      if (place === undefined) return mark === 'remove';
      return (role.cells[place] === 'r') === (mark === 'remove');
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
