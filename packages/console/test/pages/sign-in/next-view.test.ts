import { expect, it } from 'vitest';
import { nextView } from '../../../src/pages/sign-in/next-view.ts';

const none = { methods: [], enrol: [], codeRequired: false };

it('sends to an administrator whoever has nothing that this page can ask for or set up', () => {
  expect(nextView(none)).toBe('nothing');
  expect(nextView({ ...none, methods: ['passkey'], enrol: ['passkey'] })).toBe('nothing');
});

it('asks for the code of an administrator before anything is set up, where one is required', () => {
  expect(nextView({ ...none, enrol: ['totp'], codeRequired: true })).toBe('enrolment-code');
  expect(nextView({ ...none, enrol: ['totp'] })).toBe('enrol');
});

it('asks for what is there, the app first', () => {
  expect(nextView({ ...none, methods: ['recovery', 'totp'] })).toBe('otp');
  expect(nextView({ ...none, methods: ['recovery'] })).toBe('recovery');
});
