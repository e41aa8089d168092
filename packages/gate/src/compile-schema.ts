// JSON Schema validation: compiles typebox schemas with Ajv. A typebox schema is valid, so it is not checked against the
// meta-schema, which would cost every start some 50 ms for each Ajv instance.
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';

/** Compiles the schema at its first use: most processes use few of their schemas. */
export function compileSchema<S extends TSchema>(schema: S): (value: unknown) => value is Static<S> {
  let validate: ValidateFunction<Static<S>> | undefined;
  return (value) => {
    validate ??= createAjv().compile<Static<S>>(schema);
    return validate(value);
  };
}

/** For who needs more of it than `compileSchema` gives: formats, conversion, or what is wrong. */
export function createAjv(options: Pick<Options, 'allErrors' | 'coerceTypes' | 'verbose'> = {}): Ajv {
  // What its optimiser leaves out costs a request nothing, and to find it costs a start 0.1 s.
  return new Ajv({
    ...options,
    strict: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
}
