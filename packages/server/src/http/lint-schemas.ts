// Schemas are compiled when they are first used. What a business service declares is compiled at the start too, so that
// it is the start that fails, and no request; of ours, a test does it.
import { type Endpoint, routeName } from '@portcullis/contract';
import compileReply from 'fast-json-stringify';
import type { TSchema } from 'typebox';
import { createCompileInput } from './validate.ts';

/** What is wrong with the schemas of declared endpoints, each with what to do; empty where nothing is. */
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
      return [`The route ${routeName(endpoint)} has a schema that is not sound: ${message}. Correct it.`];
    }
  });
}
