// Validation by the schemas of the contract. Query and path parameters arrive as text and are converted first;
// a body must have the right types as it stands.
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';

/** As typebox writes them they are valid: to check each against the schema of schemas would cost every start. */
const options = { strict: false, meta: false, validateSchema: false } as const;
const exact = addFormats.default(new Ajv(options));
const converting = addFormats.default(new Ajv({ ...options, coerceTypes: true }));

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const isText = httpPart === 'querystring' || httpPart === 'params';
  const validate = (isText ? converting : exact).compile(schema);
  return (value: unknown) => (validate(value) ? { value } : { error: new Error('invalid') });
};
