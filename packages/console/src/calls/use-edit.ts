// An edit with an optimistic lock: it sends only the changed fields, with the revision on which the form is
// based. If another user has saved in the meantime, the form merges their values into unchanged fields, and the
// user decides whether to save.
import { ClientError } from '@portcullis/client';
import { shallowRef } from 'vue';
import { client } from '../client.ts';
import { may } from '../session.ts';
import { type Difference, listChanged, mergeEdit } from './merge-edit.ts';
import { useChange } from './use-change.ts';

type Fields = Readonly<Record<string, unknown>>;

interface EditOptions<Form extends Fields> {
  /** The name in the audit log, like `role 7`. */
  readonly target: string;
  /** The loaded values: the fields of the form, and other values whose change is worth mentioning. */
  readonly loaded: { readonly revision: number; readonly fields: Fields };
  readonly read: () => Form;
  readonly write: (form: Form) => void;
  readonly send: (changed: Partial<Form>, ifRevision: number) => Promise<unknown>;
  /** The queries to refetch: the first part of their keys, like `users`. */
  readonly changes: readonly string[];
  readonly done: () => void;
}

export interface Meanwhile {
  readonly differences: readonly Difference[];
  /** The other user's name, if the role can read the audit log. */
  readonly by: string | undefined;
}

export function useEdit<Form extends Fields>(options: EditOptions<Form>) {
  const { target, read, write, send, changes, done } = options;
  const loaded = shallowRef(options.loaded);
  const meanwhile = shallowRef<Meanwhile>();
  const change = useChange<Partial<Form>, unknown>({
    run: (changed) => send(changed, loaded.value.revision),
    changes,
    done,
  });

  async function save(): Promise<void> {
    const changed = listChanged(loaded.value.fields, read());
    if (Object.keys(changed).length === 0) return done();
    if (await change.start(changed)) return;
    const { error } = change;
    const details = error.value instanceof ClientError ? error.value.details : undefined;
    if (details === undefined) return;
    change.forget();
    const merged = mergeEdit(loaded.value.fields, read(), details.current);
    loaded.value = { revision: details.revision, fields: merged.loaded };
    write(merged.form);
    const { differences } = merged;
    meanwhile.value = { differences, by: undefined };
    meanwhile.value = { differences, by: await findLastActor(target) };
  }

  return {
    save,
    meanwhile,
    /** Discards the typed values. */
    takeCurrent(): void {
      const { fields } = loaded.value;
      write(Object.fromEntries(Object.keys(read()).map((field) => [field, fields[field]])) as Form);
      meanwhile.value = undefined;
    },
    /** For a form that opens before its values are loaded. */
    setLoaded(next: EditOptions<Form>['loaded']): void {
      loaded.value = next;
    },
    isBusy: change.isBusy,
    problem: change.problem,
  };
}

async function findLastActor(target: string): Promise<string | undefined> {
  if (!may('GET', '/api/v1/audit')) return undefined;
  const newest = await client.listAudit({ query: { target, limit: 1 } }).catch(() => undefined);
  return newest?.data.items[0]?.actorName;
}
