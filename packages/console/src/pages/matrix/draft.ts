// The changes that are not applied yet, by role and rule. They outlive a reload of the matrix, as far as they make sense.
import type { Matrix, MatrixRole } from './load-matrix.ts';

export type DraftMark = 'add' | 'remove';
/** Of each role (its id), the rules as `GET /path` with what becomes of them. */
export type Draft = ReadonlyMap<number, ReadonlyMap<string, DraftMark>>;

export interface Rule {
  readonly method: string;
  readonly path: string;
}

/** A role whose rules change, and the revision of them that was looked at. */
export type ChangedRole = Pick<MatrixRole, 'id' | 'roleKey' | 'name' | 'enabled' | 'revision'>;

export interface RoleChanges {
  readonly role: ChangedRole;
  readonly add: readonly Rule[];
  readonly remove: readonly Rule[];
}

export function ruleText({ method, path }: Rule): string {
  return `${method} ${path}`;
}

/** A second toggle takes the first one back. */
export function toggleDraft(draft: Draft, roleId: number, rule: string, hasRule: boolean): Draft {
  return toggleRules(draft, roleId, new Map([[rule, hasRule]]));
}

/** Each rule with whether the role has it. */
export function toggleRules(draft: Draft, roleId: number, rules: ReadonlyMap<string, boolean>): Draft {
  const marks = new Map(draft.get(roleId));
  for (const [rule, hasRule] of rules) if (!marks.delete(rule)) marks.set(rule, hasRule ? 'remove' : 'add');
  return withMarks(draft, roleId, marks);
}

/** Each rule gets what becomes of it, whatever the draft said of it before. */
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

/** Of each role the rules that go and are those of no single endpoint. */
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

/** For the eye alone: these are lost too, unless the draft says something of them. */
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
 * What still changes something: a rule that is there is not added again, and one that is gone not removed. Of a wider rule
 * the matrix does not say whether it is there.
 */
export function keepSensible(draft: Draft, { roles, routes, isPart }: Matrix): Draft {
  const places = new Map(routes.map((route, place) => [ruleText(route), place]));
  const known = new Set(roles.map(({ id }) => id));
  // Nothing is known yet of the roles that are on their way.
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
