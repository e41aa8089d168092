// The bytes of an answer but for what differs with every one.

export function withoutUnique(raw: string): string {
  return raw.replace(/(x-request-id|date): [^\r]+/gi, '$1');
}
