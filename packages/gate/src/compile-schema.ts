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

/** For callers that need more than `compileSchema`: formats, type conversion, or the list of errors. */
export function createAjv(options: Pick<Options, 'allErrors' | 'coerceTypes' | 'verbose'> = {}): Ajv {
  // The optimiser costs a start 0.1 s, and the code that it removes costs a request nothing.
  return new Ajv({
    ...options,
    strict: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
}
