// Pagination of lists (cursor): each page begins where the previous one ended.
import { type TSchema, Type } from 'typebox';
import { dataReply } from './reply.ts';

export const defaultPageLimit = 20;

/** The query fields of every list. */
export const pageFields = {
  after: Type.Optional(
    Type.String({ minLength: 1, maxLength: 8192, description: 'The `next` of the previous page.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: `${defaultPageLimit} unless given.` }),
  ),
};

/** The content of a page. A page can be short, or even empty, and not be the last one: only `next` tells. */
export const pageProperties = <S extends TSchema>(item: S) => ({
  items: Type.Array(item),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Send it back as `after`; null on the last page.',
  }),
});

/** @example reply: pageReply(Type.Object({ kid: Type.String() })) */
export function pageReply<S extends TSchema>(item: S) {
  return dataReply(Type.Object(pageProperties(item)));
}
