// A request of the fuzzer, as parts, and the bytes that it is on the wire.

export interface HttpCase {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** Name and value, in the order in which they are sent. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | undefined;
}

export function bytesOf({ method, target, version, headers, body }: HttpCase): string {
  const lines = [...headers, ...framingOf(body)].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} ${version}\r\n${lines.join('')}\r\n${body ?? ''}`;
}

export function framingOf(body: string | undefined): (readonly [string, string])[] {
  if (body === undefined) return [];
  return [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(body.length)],
  ];
}

/** The values of a header, whatever the case of its name; without the blanks around them. */
export function valuesOf({ headers }: HttpCase, name: string): string[] {
  return headers
    .filter(([candidate]) => candidate.toLowerCase() === name)
    .map(([, value]) => value.replace(/^[ \t]+|[ \t]+$/g, ''));
}
