// The filter of the endpoints in the address: `q`, `service` and `only=admin`.
export interface EndpointFilter {
  readonly text: string;
  /** Empty for all services. */
  readonly service: string;
  readonly onlyAdmin: boolean;
}

type Query = Readonly<Record<string, unknown>>;

export function readFilter({ q, service, only }: Query): EndpointFilter {
  return { text: textOf(q), service: textOf(service), onlyAdmin: only === 'admin' };
}

export function writeFilter({ text, service, onlyAdmin }: EndpointFilter): Record<string, string> {
  return {
    ...(text === '' ? {} : { q: text }),
    ...(service === '' ? {} : { service }),
    ...(onlyAdmin ? { only: 'admin' } : {}),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
