// A call of the protocol of guards whose answer is JSON: what is not of its schema is an error.
import { type AnswerOf, compileSchema, type GuardCall } from '@portcullis/gate';
import type { Http } from './http.ts';

interface Asked {
  readonly query?: string;
  readonly body?: object;
}

export function createAsk<C extends GuardCall>(
  http: Http,
  { method, path, answer }: C,
  silenceMilliseconds: number,
): (asked: Asked) => Promise<AnswerOf<C>> {
  const isAnswer = compileSchema<C['answer']>(answer);
  return async ({ query = '', ...body }) => {
    const value = await http.json({ method, path: path + query, ...body, silenceMilliseconds });
    if (!isAnswer(value))
      throw new Error(
        `The decision listener answers ${method} ${path} with something that this guard cannot read.`,
      );
    return value;
  };
}
