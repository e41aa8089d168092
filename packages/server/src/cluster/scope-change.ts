// What changes whom a data scope reaches and nothing in any memory: what a scope contains is read from the tables each
// time. It is numbered all the same, for those who were judged by it and have not written yet.
import { type Static, Type } from 'typebox';

export const ScopeChange = Type.Union([
  Type.Object({ kind: Type.Literal('user_moved'), userId: Type.Integer() }),
  Type.Object({ kind: Type.Literal('department_moved') }),
]);
export type ScopeChange = Static<typeof ScopeChange>;
