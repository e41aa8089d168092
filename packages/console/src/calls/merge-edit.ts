// Three-way merge of a form when another user has saved in the meantime: fields that the user changed keep the typed
// values, all other fields take the new values.

type Fields = Readonly<Record<string, unknown>>;

export interface Difference {
  readonly field: string;
  readonly before: unknown;
  readonly now: unknown;
  /** Whether the form changes this field too and would overwrite the other value. */
  readonly isMine: boolean;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The fields of the form that differ from the loaded values. */
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
