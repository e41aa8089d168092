// Validates input by the schemas of the contract. Query and path parameters arrive as text and are converted first; a body must
// have the right types already.
import { createAjv } from '@portcullis/gate';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';

/** Compiles a schema when it is first used: compiling those of all endpoints would take a quarter of a start. */
export function createValidatorCompiler(): FastifySchemaCompiler<TSchema> {
  const compile = createCompileInput();
  return ({ schema, httpPart = '' }) => {
    let validate: ReturnType<typeof compile> | undefined;
    return (value: unknown) => {
      validate ??= compile(schema, httpPart);
      return validate(value) ? { value } : { error: new Error('invalid') };
    };
  };
}

/** Compiles at once, for the part of a request as Fastify names it; throws when a schema is invalid. */
export function createCompileInput(): (schema: TSchema, httpPart: string) => (value: unknown) => boolean {
  const exact = addFormats.default(createAjv());
  const converting = addFormats.default(createAjv({ coerceTypes: true }));
  return (schema, httpPart) => {
    const isText = httpPart === 'querystring' || httpPart === 'params';
    return (isText ? converting : exact).compile(schema);
  };
}
