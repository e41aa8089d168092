import { expect, it } from 'vitest';
import { fitNext, nextView, otherKind, otherViews } from '../../../src/pages/sign-in/next-view.ts';

const none = { methods: [], enrol: [], codeRequired: false };

it('sends a user without any factor that this page supports to an administrator', () => {
  expect(nextView(none)).toBe('nothing');
  const passkeyAlone = { ...none, methods: ['passkey' as const], enrol: ['passkey' as const] };
  expect(nextView(fitNext(passkeyAlone, false))).toBe('nothing');
  expect(nextView(fitNext(passkeyAlone, true))).toBe('passkey');
});

it('offers all but passkeys to a browser that knows none', () => {
  const all = {
    ...none,
    methods: ['totp' as const, 'passkey' as const],
    enrol: ['passkey' as const, 'totp' as const],
  };
  expect(fitNext(all, false)).toEqual({ ...none, methods: ['totp'], enrol: ['totp'] });
  expect(fitNext(all, true)).toEqual(all);
});

it('asks for the code of an administrator before anything is set up, where one is required', () => {
  expect(nextView({ ...none, enrol: ['totp'], codeRequired: true })).toBe('enrolment-code');
  expect(nextView({ ...none, enrol: ['totp'] })).toBe('enrol');
  expect(otherKind({ ...none, enrol: ['totp', 'passkey'] }, 'totp')).toBe('passkey');
  expect(otherKind({ ...none, enrol: ['totp'] }, 'totp')).toBeUndefined();
});

it('asks for what is there, the best first, and names what else would do', () => {
  const next = { ...none, methods: ['recovery' as const, 'totp' as const, 'passkey' as const] };
  expect(nextView(next)).toBe('passkey');
  expect(otherViews(next, 'otp')).toEqual(['passkey', 'recovery']);
  expect(nextView({ ...none, methods: ['recovery', 'totp'] })).toBe('otp');
  expect(nextView({ ...none, methods: ['recovery'] })).toBe('recovery');
});
