// Serializes successful replies by the schemas of the contract: a field that a schema does not name is never sent.
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
