// What the second step shows, by what the service says completes the login. A further way in gets a row here.
import type { ClientError } from '@portcullis/client';

export type NextStep = NonNullable<ClientError['nextStep']>;
export type StepView = 'otp' | 'recovery' | 'enrolment-code' | 'enrol' | 'nothing';

export function nextView({ methods, enrol, codeRequired }: NextStep): StepView {
  if (methods.includes('totp')) return 'otp';
  if (methods.includes('recovery')) return 'recovery';
  if (!enrol.includes('totp')) return 'nothing';
  return codeRequired ? 'enrolment-code' : 'enrol';
}
