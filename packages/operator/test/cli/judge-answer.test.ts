// What an answer of a gateway says about it, answer by answer.
import { expect, it } from 'vitest';
import { listProbes } from '../../src/cli/commands/self-test/gateway-probes.ts';
import { type Answer, judgeAnswer } from '../../src/cli/commands/self-test/judge-answer.ts';

const probes = listProbes('/api/v1/orders');
function probeOf(expected: string) {
  const found = probes.find((probe) => probe.expected === expected);
  if (found === undefined) throw new Error(`No probe expects ${expected}.`);
  return found;
}
const body = (code: number) => JSON.stringify({ code, msg: 'No.' });
const refused: Answer = {
  ...{ status: 200, reason: 'token_missing', requestId: 'r-1', text: body(401), isEarly: false },
};
const missing: Answer = { ...refused, status: 404, reason: undefined, text: body(404) };

it.each<[string, Partial<Answer>, string, RegExp | undefined]>([
  ['that is exactly the refusal', {}, 'refused', undefined],
  ['that comes before its body', { isEarly: true }, 'inexact', /half a request/],
  ['with the status 201', { status: 201 }, 'inexact', /front ends expect HTTP 200/],
  ['with another reason', { reason: 'token_malformed' }, 'inexact', /not as Portcullis refuses it/],
  ['without a reason', { reason: undefined }, 'inexact', /not as Portcullis refuses it/],
  ['with another status', { status: 401 }, 'inexact', /front ends expect HTTP 200/],
  ['of a service that is away', { status: 503, reason: undefined }, 'inexact', /could not decide/],
  ['of the service', { reason: undefined, text: '{"data":[]}' }, 'open', /got through/],
  ['with the code 200', { text: body(200) }, 'open', /got through/],
  ['with the status 204', { status: 204, text: '' }, 'open', /got through/],
  ['that upgrades', { status: 101, text: '' }, 'open', /got through/],
  ['with the status 199', { status: 199 }, 'inexact', /front ends expect HTTP 200/],
  ['with the status 300', { status: 300, text: '' }, 'inexact', /front ends expect HTTP 200/],
  ['that leads elsewhere', { status: 302, reason: undefined, text: '' }, 'strange', /may have reached/],
  [
    'that has no request id',
    { status: 500, reason: undefined, requestId: undefined },
    'strange',
    /Nothing shows/,
  ],
  [
    'that is none',
    { status: 0, reason: undefined, requestId: undefined, text: '' },
    'strange',
    /Nothing shows/,
  ],
  ['that is a list', { text: '[]' }, 'open', /got through/],
  ['that is null', { text: 'null' }, 'open', /got through/],
  ['that is a text', { text: '"a"' }, 'open', /got through/],
  ['whose code is a text', { text: '{"code":"401","msg":"No."}' }, 'open', /got through/],
  ['without a message', { text: '{"code":401}' }, 'open', /got through/],
  ['with more than code and message', { text: '{"code":401,"msg":"No.","data":1}' }, 'open', /got through/],
])('an answer %s is judged', (_what, change, outcome, remedy) => {
  const verdict = judgeAnswer(probeOf('token_missing'), { ...refused, ...change });
  expect(verdict.outcome).toBe(outcome);
  if (remedy === undefined) expect(verdict).not.toHaveProperty('remedy');
  else expect(verdict.remedy).toMatch(remedy);
});

it.each<[string, Partial<Answer>, string, RegExp | undefined]>([
  ['that is exactly the refusal', {}, 'refused', undefined],
  ['that is none', { status: 0, requestId: undefined, text: '' }, 'refused', undefined],
  ['that calls the request bad', { status: 400, requestId: undefined, text: 'Bad' }, 'refused', undefined],
  ['of the service', { requestId: undefined, text: 'Not found' }, 'strange', /Nothing shows/],
  ['with another body', { text: 'Not found' }, 'strange', /Nothing shows/],
  ['with another code', { text: body(401) }, 'inexact', /raw request target/],
  ['for its token', refused, 'inexact', /raw request target/],
  ['that got through', { status: 200, text: '{}' }, 'open', /got through/],
])('an answer %s is judged where the target is not canonical', (_what, change, outcome, remedy) => {
  const verdict = judgeAnswer(probeOf('not_found'), { ...missing, ...change });
  expect(verdict.outcome).toBe(outcome);
  if (remedy === undefined) expect(verdict).not.toHaveProperty('remedy');
  else expect(verdict.remedy).toMatch(remedy);
});

it.each<[Partial<Answer>, string]>([
  [{}, 'HTTP 200, code 401, token_missing'],
  [{ status: 404, text: 'Not found', reason: undefined }, 'HTTP 404, another body'],
  [{ status: 204, text: '', reason: undefined }, 'HTTP 204, no body'],
  [{ status: 0 }, 'no answer'],
])('%j is shown as seen', (change, seen) => {
  expect(judgeAnswer(probeOf('token_missing'), { ...refused, ...change }).seen).toBe(seen);
});
