// Ids of users, roles and departments: below 2^53, so that every client reads them exactly.
import { Type } from 'typebox';

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** The path parameter `:id`. */
export const IdParams = Type.Object({ id: Id });
