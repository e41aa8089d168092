// Role keys and data scopes.
export const roleKeyPattern = '^[a-z][a-z0-9_-]{0,31}$';
const roleKeyExpression = new RegExp(roleKeyPattern);

export function isRoleKey(text: string): boolean {
  return roleKeyExpression.test(text);
}

/** 1 all, 2 the role's chosen departments, 3 own department, 4 own department and below, 5 own rows. */
export const dataScopes = ['1', '2', '3', '4', '5'] as const;
export type DataScope = (typeof dataScopes)[number];

/** An unknown or empty value means own rows: never all. */
export function dataScopeOf(value: unknown): DataScope {
  return dataScopes.find((scope) => scope === value) ?? '5';
}
