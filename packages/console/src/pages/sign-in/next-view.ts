// What the second step shows, by what the service says completes the login. A further way in gets a row here.
import type { ClientError } from '@portcullis/client';

export type NextStep = NonNullable<ClientError['nextStep']>;
type Kind = NextStep['enrol'][number];
/** The best first. */
const views = { passkey: 'passkey', totp: 'otp', recovery: 'recovery' } as const;
type ProvingView = (typeof views)[keyof typeof views];
export type StepView = ProvingView | 'enrolment-code' | 'enrol' | 'nothing';

/** What a browser does not know is not offered. */
export function fitNext(next: NextStep, knowsPasskeys: boolean): NextStep {
  const isFit = (name: string) => knowsPasskeys || name !== 'passkey';
  return { ...next, methods: next.methods.filter(isFit), enrol: next.enrol.filter(isFit) };
}

export function nextView(next: NextStep): StepView {
  const [first] = viewsOf(next);
  if (first !== undefined) return first;
  if (next.enrol.length === 0) return 'nothing';
  return next.codeRequired ? 'enrolment-code' : 'enrol';
}

/** What completes the login instead of what is shown. */
export function otherViews(next: NextStep, shown: StepView): ProvingView[] {
  return viewsOf(next).filter((view) => view !== shown);
}

/** What can be set up instead. */
export function otherKind({ enrol }: NextStep, kind: Kind | undefined): Kind | undefined {
  return enrol.find((other) => other !== kind);
}

function viewsOf({ methods }: NextStep): ProvingView[] {
  return Object.entries(views).flatMap(([method, view]) =>
    methods.some((one) => one === method) ? [view] : [],
  );
}
