// What stands at a place of an answer, by its JSON pointer (RFC 6901).

export function readPointer(answer: unknown, place: string): unknown {
  let found = answer;
  for (const step of place.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    // What every object has is none of the answer: `/constructor/name` names nobody.
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}
