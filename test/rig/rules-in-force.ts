// A change that only gives rules waits for no instance, so a test that uses a new rule at once can come too early.

interface Rule {
  readonly method: string;
  readonly path: string;
}

/** A role without it can lose it, too. */
const absent: Rule = { method: 'GET', path: '/api/v1/none' };

/** The body of a change of rules that is in force everywhere when it is answered: what removes a rule waits. */
export function rulesInForce(add: Rule[]): { add: Rule[]; remove: Rule[] } {
  return { add, remove: [absent] };
}
