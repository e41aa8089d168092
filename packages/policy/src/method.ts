// The methods that a rule can name and a request can be allowed for. Any other method is denied, also by `*`.

/** The methods that a rule can name. `TRACE`, `CONNECT` and extensions are left out: no rule can open them. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

/** One method by name, in upper case. */
export type Method = (typeof methods)[number];

/** What stands in the method field of a rule: one method, or `*` for all of {@link methods}. */
export type RuleMethod = Method | '*';

/** The bit of a rule for all methods. It is kept apart, so that such a rule can be taken back alone. */
export const anyMethodBit = 128;

const bits: ReadonlyMap<string, number> = new Map(methods.map((method, index) => [method, 1 << index]));

export function isMethod(text: string): text is Method {
  return bits.has(text);
}

/** The bits of the rules that cover a request's method: its own and the one for all. None for an unknown method. */
export function requestMask(method: string): number {
  const bit = bits.get(method);
  return bit === undefined ? 0 : bit | anyMethodBit;
}

export function ruleBit(method: RuleMethod): number {
  return bits.get(method) ?? anyMethodBit;
}
