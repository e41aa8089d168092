// Pagination cursor: the position where a page of a list ended, as a text that a caller sends back. It is untrusted input, so its
// content is validated before it reaches a query.
import { AppError } from '@portcullis/contract';
import { compileSchema } from '@portcullis/gate';
import type { Static, TSchema } from 'typebox';

export interface Cursor<Position> {
  write(position: Position): string;
  /** Undefined for the first page. */
  read(text: string | undefined): Position | undefined;
}

/** @example const cursor = createCursor(Type.Tuple([Type.String(), Type.String()])); */
export function createCursor<S extends TSchema>(schema: S): Cursor<Static<S>> {
  const isPosition = compileSchema(schema);
  return {
    write: (position) => Buffer.from(JSON.stringify(position)).toString('base64url'),
    read(text) {
      if (text === undefined) return undefined;
      const position = parse(Buffer.from(text, 'base64url').toString());
      if (!isPosition(position)) throw new AppError('params_invalid');
      return position;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('params_invalid', { cause });
  }
}
