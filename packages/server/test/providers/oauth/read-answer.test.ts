// What is told of an answer that cannot be read: nothing of what stands in it, because that may be a token.
import { expect, it } from 'vitest';
import { readAnswer } from '../../../src/providers/oauth/read-answer.ts';

const token = 'gho_0123456789';

it.each([
  token,
  `access_token=${token}`,
  `{"access_token":${token}}`,
  `{"access_token":"a" "${token}"}`,
  `"${token}"`,
])('tells nothing of %s', async (text) => {
  const told = await readAnswer(new Response(text), undefined).catch((error: Error) => error);
  expect(told).toBeInstanceOf(Error);
  const { message, stack = '' } = told as Error;
  expect(`${message} ${stack}`).not.toMatch(/gho_|access_tok/);
});

it('reads an object', async () => {
  expect(await readAnswer(Response.json({ access_token: token }), undefined)).toEqual({
    access_token: token,
  });
});
