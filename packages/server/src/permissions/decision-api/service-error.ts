// An answer to a service that asked wrongly, or that cannot be answered now. It says nothing about any decision.
export class ServiceError extends Error {
  readonly status: number;
  readonly headers: readonly string[];

  constructor(status: number, message: string, headers: readonly string[] = []) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
    this.headers = headers;
  }
}
