// The report about an unreadable answer: it contains nothing of the answer, because that can be a token.
import { expect, it } from 'vitest';
import { readAnswer } from '../../../../src/sign-in/providers/oauth/read-answer.ts';

const token = 'gho_0123456789';

it.each([
  token,
  `access_token=${token}`,
  `{"access_token":${token}}`,
  `{"access_token":"a" "${token}"}`,
  `"${token}"`,
])('returns nothing of %s', async (text) => {
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

it.each<[object | null | string, number, string | undefined, RegExp]>([
  [null, 200, undefined, /no object/],
  ['text', 200, undefined, /no object/],
  [[1], 200, undefined, /no object/],
  [{ id: 7 }, 401, undefined, /HTTP 401/],
  [{ error: 'access_denied' }, 200, undefined, /access_denied/],
  [{ error: 'what somebody wrote' }, 200, undefined, /an error/],
  [{ errcode: 40_029 }, 200, undefined, /40029/],
  [{ id: 7 }, 200, '/code', /refuses/],
  [{ code: 1 }, 200, '/code', /refuses/],
  [{ code: '0' }, 200, '/code', /refuses/],
])('takes %j with HTTP %s for a refusal, where the status is at %s', async (body, status, place, text) => {
  await expect(readAnswer(Response.json(body, { status }), place)).rejects.toThrow(text);
});

it.each<[object, string | undefined]>([
  [{ code: 0 }, '/code'],
  [{ code: 1 }, undefined],
  [{ error: '' }, undefined],
  [{ error: null, errcode: 0 }, undefined],
])('takes %j for an answer, where the status is at %s', async (body, place) => {
  expect(await readAnswer(Response.json(body), place)).toEqual(body);
});
