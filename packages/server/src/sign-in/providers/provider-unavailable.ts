// The error for a provider that cannot be reached, does not answer within its time limit, or sends too large an answer. It says
// nothing about the person, so it does not count as a failed login attempt.
export class ProviderUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'ProviderUnavailable';
  }
}

/** Also finds the error in the causes of another error: libraries wrap it. */
export function isProviderUnavailable(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth += 1)
    if (each instanceof ProviderUnavailable) return true;
  return false;
}
