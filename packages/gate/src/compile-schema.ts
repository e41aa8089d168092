// Compiles a schema that was written with typebox. Such a schema is valid; to hold it against the schema of schemas would
// cost every start some 50 ms for each of them.
import { Ajv } from 'ajv';
import type { Static, TSchema } from 'typebox';

const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });

export function compileSchema<S extends TSchema>(schema: S): (value: unknown) => value is Static<S> {
  return ajv.compile<Static<S>>(schema);
}
