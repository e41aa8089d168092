// The HTTP methods that a rule can allow. Every other method is denied, also by `*`.

/** The methods that a rule can name. No rule can allow `TRACE`, `CONNECT` or extension methods. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

/** One method by name, in upper case. */
export type Method = (typeof methods)[number];

/** The method field of a rule: one method, or `*` for all of {@link methods}. */
export type RuleMethod = Method | '*';

/** The bit of a rule for all methods. It is a separate bit, so that such a rule can be removed without the others. */
export const anyMethodBit = 128;

const bits: ReadonlyMap<string, number> = new Map(methods.map((method, index) => [method, 1 << index]));

export function isMethod(text: string): text is Method {
  return bits.has(text);
}

/** The bits of the rules that match a request's method: the method's bit and the bit for all; 0 for an unknown method. */
export function requestMask(method: string): number {
  const bit = bits.get(method);
  return bit === undefined ? 0 : bit | anyMethodBit;
}

export function ruleBit(method: RuleMethod): number {
  return bits.get(method) ?? anyMethodBit;
}
