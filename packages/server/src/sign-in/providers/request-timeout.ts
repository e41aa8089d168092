// How a provider is asked that people go to: within its time, and with as much told of what it does wrong as helps.
import { AppError, type ProviderFinding } from '@portcullis/contract';
import { isProviderUnavailable, ProviderUnavailable } from './provider-unavailable.ts';

/** Told what a provider did wrong, for the process log. */
export type ReportProvider = (provider: string, error: unknown) => void;

/** Whatever a provider does, nobody waits longer. */
const wholeMilliseconds = 3000;

export async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new ProviderUnavailable('It took too long.')),
    wholeMilliseconds,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** For who wants to sign in: that it was not accepted, or that the provider is away. */
export async function withTimeoutReported<T>(
  report: ReportProvider,
  provider: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await withTimeout(work());
  } catch (error) {
    if (error instanceof AppError) throw error;
    report(provider, error);
    throw new AppError(isProviderUnavailable(error) ? 'provider_away' : 'provider_refused');
  }
}

/** For the operator: what is right, or the innermost reason why it is not. */
export async function inspectWithTimeout(
  what: string,
  work: () => Promise<string>,
): Promise<ProviderFinding> {
  try {
    return { what, ok: true, text: await withTimeout(work()) };
  } catch (error) {
    return { what, ok: false, text: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  const causes: string[] = [];
  for (let each = error; each instanceof Error && causes.length < 4; each = each.cause)
    causes.push(each.message);
  return causes.at(-1) ?? 'It does not answer.';
}
