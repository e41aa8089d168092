// An edit of something that others may be editing too: only what was changed is sent, with the revision that the form was
// filled in on. Where somebody was faster, the form takes over what it does not change itself, and the person decides.
import { ClientError } from '@portcullis/client';
import { shallowRef } from 'vue';
import { client } from '../client.ts';
import { may } from '../session.ts';
import { type Difference, listChanged, mergeEdit } from './merge-edit.ts';
import { useChange } from './use-change.ts';

type Fields = Readonly<Record<string, unknown>>;

interface EditOptions<Form extends Fields> {
  /** As the audit log names it, like `role 7`. */
  readonly target: string;
  /** What was loaded: the fields of the form, and whatever else is worth a word when it changes. */
  readonly loaded: { readonly revision: number; readonly fields: Fields };
  readonly read: () => Form;
  readonly write: (form: Form) => void;
  readonly send: (changed: Partial<Form>, ifRevision: number) => Promise<unknown>;
  /** What is asked for again: the first part of their keys, like `users`. */
  readonly changes: readonly string[];
  readonly done: () => void;
}

export interface Meanwhile {
  readonly differences: readonly Difference[];
  /** Who it was, where the role may read the audit log. */
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
    /** What was typed is let go. */
    takeCurrent(): void {
      const { fields } = loaded.value;
      write(Object.fromEntries(Object.keys(read()).map((field) => [field, fields[field]])) as Form);
      meanwhile.value = undefined;
    },
    /** What the form is filled in on came later than the form. */
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
