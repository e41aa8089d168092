// Selects the view of the second login step by the methods that the service accepts. A new
// sign-in method gets a row here.
import type { ClientError } from '@portcullis/client';

export type NextStep = NonNullable<ClientError['nextStep']>;
type Kind = NextStep['enrol'][number];
/** In order of preference. */
const views = { passkey: 'passkey', totp: 'otp', recovery: 'recovery' } as const;
type ProvingView = (typeof views)[keyof typeof views];
export type StepView = ProvingView | 'enrolment-code' | 'enrol' | 'nothing';

/** Removes methods that the browser does not support. */
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

/** The other methods that can complete the login. */
export function otherViews(next: NextStep, shown: StepView): ProvingView[] {
  return viewsOf(next).filter((view) => view !== shown);
}

/** The other kind of factor that can be set up. */
export function otherKind({ enrol }: NextStep, kind: Kind | undefined): Kind | undefined {
  return enrol.find((other) => other !== kind);
}

function viewsOf({ methods }: NextStep): ProvingView[] {
  return Object.entries(views).flatMap(([method, view]) =>
    methods.some((one) => one === method) ? [view] : [],
  );
}
