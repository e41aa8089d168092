// Writes successful answers by the schemas of the contract: what a schema does not name never leaves.
import compileReply from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';

/** Compiles a schema when it is first used, as validate.ts does. */
export function createSerializerCompiler(): FastifySerializerCompiler<TSchema> {
  return ({ schema }) => {
    let write: ReturnType<typeof compileReply> | undefined;
    return (content: object) => {
      write ??= compileReply(schema);
      return write(content);
    };
  };
}
