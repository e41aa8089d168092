// Validation by the schemas of the contract. Query and path parameters arrive as text and are converted first;
// a body must have the right types as it stands.
import { createAjv } from '@portcullis/gate';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';

export function createValidatorCompiler(): FastifySchemaCompiler<TSchema> {
  const exact = addFormats.default(createAjv());
  const converting = addFormats.default(createAjv({ coerceTypes: true }));
  return ({ schema, httpPart }) => {
    const isText = httpPart === 'querystring' || httpPart === 'params';
    const validate = (isText ? converting : exact).compile(schema);
    return (value: unknown) => (validate(value) ? { value } : { error: new Error('invalid') });
  };
}
