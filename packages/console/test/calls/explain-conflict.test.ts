import { ClientError } from '@portcullis/client';
import { expect, test } from 'vitest';
import { explainConflict } from '../../src/calls/explain-conflict.ts';

const conflict = new ClientError('conflict', { code: 409, requestId: 'r1', msg: 'It conflicts.' });

test('explains a conflict, and keeps the request id for a report', async () => {
  await expect(explainConflict(Promise.reject(conflict), 'It is taken.')).rejects.toMatchObject({
    kind: 'conflict',
    code: 409,
    requestId: 'r1',
    msg: 'It is taken.',
    cause: conflict,
  });
});

test('leaves a conflict alone where nothing is known of it', async () => {
  await expect(explainConflict(Promise.reject(conflict), undefined)).rejects.toBe(conflict);
});

test('leaves every other refusal alone', async () => {
  const weak = new ClientError('invalid', { msg: 'Too short.' });
  await expect(explainConflict(Promise.reject(weak), 'It is taken.')).rejects.toBe(weak);
});

test('leaves alone what is no answer of the service', async () => {
  const failure = Object.assign(new Error('broken'), { kind: 'conflict' });
  await expect(explainConflict(Promise.reject(failure), 'It is taken.')).rejects.toBe(failure);
});

test('gives the reply of a call that succeeds', async () => {
  await expect(explainConflict(Promise.resolve(7), 'It is taken.')).resolves.toBe(7);
});

test('leaves a conflict alone that says what is different now', async () => {
  const changed = new ClientError('conflict', { msg: 'Changed.', details: { revision: 2, current: {} } });
  await expect(explainConflict(Promise.reject(changed), 'It is taken.')).rejects.toBe(changed);
});
