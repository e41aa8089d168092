// The error of an outbound connection. Its message names the host and no other part of the URL, which can hold a secret.

export type OutboundFault =
  | 'address_refused'
  | 'no_address'
  | 'connect_timeout'
  | 'timeout'
  | 'redirect'
  | 'too_large'
  | 'failed';

export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
