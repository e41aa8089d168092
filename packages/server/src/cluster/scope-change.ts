// Scope changes: moves of users and departments, which change the rows of data scopes. No memory holds those rows: they are read
// from the tables each time. The moves are numbered nevertheless, so that the recheck at commit sees them.
import { type Static, Type } from 'typebox';

export const ScopeChange = Type.Union([
  Type.Object({ kind: Type.Literal('user_moved'), userId: Type.Integer() }),
  Type.Object({ kind: Type.Literal('department_moved') }),
]);
export type ScopeChange = Static<typeof ScopeChange>;
