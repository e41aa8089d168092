// Where a page of a list ended, as a text that a caller sends back. It arrives like any other input, so its content
// is checked before it reaches a query.
import { AppError } from '@portcullis/contract';
import { compileSchema } from '@portcullis/gate';
import type { Static, TSchema } from 'typebox';

export interface Cursor<Place> {
  write(place: Place): string;
  /** Undefined where the list is read from its beginning. */
  read(text: string | undefined): Place | undefined;
}

/** @example const cursor = createCursor(Type.Tuple([Type.String(), Type.String()])); */
export function createCursor<S extends TSchema>(schema: S): Cursor<Static<S>> {
  const isPlace = compileSchema(schema);
  return {
    write: (place) => Buffer.from(JSON.stringify(place)).toString('base64url'),
    read(text) {
      if (text === undefined) return undefined;
      const place = parse(Buffer.from(text, 'base64url').toString());
      if (!isPlace(place)) throw new AppError('params_invalid');
      return place;
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
