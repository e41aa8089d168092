// Lint of the schemas of endpoints. A schema is compiled when it is first used. Those of a business service are compiled at the
// start too, so that a bad schema fails the start and no request; a test compiles ours.
import { type Endpoint, routeName } from '@portcullis/contract';
import compileReply from 'fast-json-stringify';
import type { TSchema } from 'typebox';
import { createCompileInput } from './validate.ts';

/** Each problem of the schemas with its remedy; empty when there is none. */
export function lintSchemas(endpoints: readonly Endpoint[]): string[] {
  const compileInput = createCompileInput();
  const soundReplies = new Set<TSchema>();
  return endpoints.flatMap((endpoint) => {
    const { params, query, body, reply } = endpoint;
    try {
      if (params !== undefined) compileInput(params, 'params');
      if (query !== undefined) compileInput(query, 'querystring');
      if (body !== undefined) compileInput(body, 'body');
      if (reply !== undefined && !soundReplies.has(reply)) {
        compileReply(reply);
        soundReplies.add(reply);
      }
      return [];
    } catch (error) {
      const { message } = error as Error;
      return [`The route ${routeName(endpoint)} has an invalid schema: ${message}. Correct the schema.`];
    }
  });
}
