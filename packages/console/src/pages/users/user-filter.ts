// The filter of the user list in the address. Invalid values are ignored.
export interface UserFilter {
  readonly search?: string;
  readonly roleId?: number;
  readonly departmentId?: number;
  readonly enabled?: boolean;
  readonly secondFactor?: boolean;
}

type Query = Readonly<Record<string, unknown>>;
type Choice = '' | 'true' | 'false';
export type UserQuery = { readonly [K in keyof UserFilter]-?: string };

const longestSearch = 64;

/** As texts for form fields; empty for no filter. */
export function readUserQuery({ search, roleId, departmentId, enabled, secondFactor }: Query): UserQuery & {
  readonly enabled: Choice;
  readonly secondFactor: Choice;
} {
  return {
    search: typeof search === 'string' ? search.trim().slice(0, longestSearch) : '',
    roleId: readId(roleId),
    departmentId: readId(departmentId),
    enabled: readChoice(enabled),
    secondFactor: readChoice(secondFactor),
  };
}

/** As parameters of the service. */
export function toUserFilter({ search, roleId, departmentId, enabled, secondFactor }: UserQuery): UserFilter {
  return {
    ...(search === '' ? {} : { search }),
    ...(roleId === '' ? {} : { roleId: Number(roleId) }),
    ...(departmentId === '' ? {} : { departmentId: Number(departmentId) }),
    ...(enabled === '' ? {} : { enabled: enabled === 'true' }),
    ...(secondFactor === '' ? {} : { secondFactor: secondFactor === 'true' }),
  };
}

/** Only active filters are in the address. */
export function toAddress(query: UserQuery): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

function readChoice(value: unknown): Choice {
  return value === 'true' || value === 'false' ? value : '';
}

function readId(value: unknown): string {
  const isId = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value);
  return isId && Number.isSafeInteger(Number(value)) ? value : '';
}
