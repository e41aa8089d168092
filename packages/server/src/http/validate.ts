// Validation by the schemas of the contract. Query and path parameters arrive as text and are converted first;
// a body must have the right types as it stands.
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Convert } from 'typebox/value';

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema);
  const isText = httpPart === 'querystring' || httpPart === 'params';
  return (data: unknown) => {
    const value = isText ? Convert(schema, data) : data;
    return validator.Check(value) ? { value } : { error: new Error('invalid') };
  };
};
