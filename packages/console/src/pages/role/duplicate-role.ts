// Copies a role with its data scope and rules. The service refuses rules that the caller cannot grant; then the
// new role is deleted again.
import type { client as consoleClient } from '../../client.ts';
import type { Rule } from '../matrix/draft.ts';
import { readTypedRule } from './typed-rule.ts';

type Client = Pick<typeof consoleClient, 'createRole' | 'changeRules' | 'deleteRole'>;
type NewRole = Parameters<Client['createRole']>[0]['body'];

/** The number of rules that one call can add. */
const rulesOfCall = 1000;

export interface Duplicate {
  readonly id: number;
  /** The refusal, if some rules are missing and the new role could not be deleted again. */
  readonly refusal?: unknown;
}

export async function duplicateRole(
  client: Client,
  body: NewRole,
  rules: readonly Rule[],
): Promise<Duplicate> {
  // A stored text that is not a valid rule has no effect.
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
