// What a form changes, and what becomes of it where somebody else was faster: what is touched stays as it was typed, and
// everything else follows.

type Fields = Readonly<Record<string, unknown>>;

export interface Difference {
  readonly field: string;
  readonly before: unknown;
  readonly now: unknown;
  /** Whether the form changes it too, and would replace it. */
  readonly isMine: boolean;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Those of the form that are not as they were loaded. */
export function listChanged<Form extends Fields>(loaded: Fields, form: Form): Partial<Form> {
  const changed = Object.entries(form).filter(([field, value]) => !isSame(value, loaded[field]));
  return Object.fromEntries(changed) as Partial<Form>;
}

export function mergeEdit<Form extends Fields>(loaded: Fields, form: Form, current: Fields) {
  const mine = listChanged(loaded, form);
  const now = { ...loaded, ...current };
  const differences = Object.keys(loaded)
    .filter((field) => !isSame(loaded[field], now[field]))
    .map((field): Difference => ({ field, before: loaded[field], now: now[field], isMine: field in mine }));
  const kept = Object.fromEntries(Object.keys(form).map((field) => [field, now[field]]));
  return { loaded: now, form: { ...kept, ...mine } as Form, differences };
}
