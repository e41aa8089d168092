// A role with the data scope and the rules of another one. The service refuses what the caller does not reach: then the
// role that was made for it goes again.
import type { client as consoleClient } from '../../client.ts';
import type { Rule } from '../matrix/draft.ts';
import { readTypedRule } from './typed-rule.ts';

type Client = Pick<typeof consoleClient, 'createRole' | 'changeRules' | 'deleteRole'>;
type NewRole = Parameters<Client['createRole']>[0]['body'];

/** As many as one call may add. */
const rulesOfCall = 1000;

export interface Duplicate {
  readonly id: number;
  /** Why it has not all of the rules, and could not be deleted again. */
  readonly refusal?: unknown;
}

export async function duplicateRole(
  client: Client,
  body: NewRole,
  rules: readonly Rule[],
): Promise<Duplicate> {
  // What is stored and cannot be a rule is not in force.
  const added = rules.filter((rule) => 'rule' in readTypedRule(`${rule.method} ${rule.path}`));
  const { id } = (await client.createRole({ body })).data;
  try {
    for (let from = 0; from < added.length; from += rulesOfCall)
      await client.changeRules({ params: { id }, body: { add: added.slice(from, from + rulesOfCall) } });
    return { id };
  } catch (refusal) {
    try {
      await client.deleteRole({ params: { id } });
    } catch {
      return { id, refusal };
    }
    throw refusal;
  }
}
