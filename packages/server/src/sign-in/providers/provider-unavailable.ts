// A provider that cannot be asked, does not answer in time, or answers what nobody reads to the end. It says nothing about who
// somebody is, and so counts for nobody.
export class ProviderUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'ProviderUnavailable';
  }
}

/** Also where a library wrapped it. */
export function isProviderUnavailable(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth += 1)
    if (each instanceof ProviderUnavailable) return true;
  return false;
}
