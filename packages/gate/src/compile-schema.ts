// Compiles schemas that were written with typebox. Such a schema is valid; to hold it against the schema of schemas would
// cost every start some 50 ms for each of them.
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';

/** Compiles it when it is first used: most processes need few of theirs. */
export function compileSchema<S extends TSchema>(schema: S): (value: unknown) => value is Static<S> {
  let validate: ValidateFunction<Static<S>> | undefined;
  return (value) => {
    validate ??= createAjv().compile<Static<S>>(schema);
    return validate(value);
  };
}

/** For who needs more of it than `compileSchema` gives: formats, conversion, or what is wrong. */
export function createAjv(options: Pick<Options, 'allErrors' | 'coerceTypes'> = {}): Ajv {
  // What its optimiser leaves out costs a request nothing, and to find it costs a start 0.1 s.
  return new Ajv({
    ...options,
    strict: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
}
