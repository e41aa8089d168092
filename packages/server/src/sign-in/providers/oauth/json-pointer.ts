// Reads the value at a JSON pointer (RFC 6901) in the answer of a provider.

export function readPointer(answer: unknown, pointer: string): unknown {
  let found = answer;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    // Only properties of the answer: inherited ones, such as `/constructor/name`, identify no person.
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}
