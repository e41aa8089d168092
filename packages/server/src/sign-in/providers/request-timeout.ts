// The time limit for work at a provider with a redirect flow, and the report of its faults: to the process log and the operator in
// full, to the person as one of two errors.
import { AppError, type ProviderFinding } from '@portcullis/contract';
import { isProviderUnavailable, ProviderUnavailable } from './provider-unavailable.ts';

/** Writes a fault of the provider to the process log. */
export type ReportProvider = (provider: string, error: unknown) => void;

/** The longest wait for a provider. */
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

/** For a person who signs in: throws `provider_refused` or `provider_unavailable`, and reports the cause. */
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
    throw new AppError(isProviderUnavailable(error) ? 'provider_unavailable' : 'provider_refused');
  }
}

/** For the operator: the result of a check, or the innermost cause of its failure. */
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
