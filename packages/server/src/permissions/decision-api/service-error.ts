// HTTP error for the decision API: the request of a service is invalid, or cannot be answered now. The error is never a
// decision.

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
