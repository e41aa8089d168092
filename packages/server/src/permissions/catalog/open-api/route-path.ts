// Decides which paths of a document can be routes: those that a rule can name. Nothing is repaired and nothing guessed,
// because a rule for another path than the service's own would protect nothing.
import { parseRule } from '@portcullis/policy';

/** Longer than any rule; it bounds what is looked at. */
const mostCharacters = 1024;
// RFC 6570 has operators in front of a name and modifiers behind it, which can stand for several segments.
const parameter = /^\{([A-Za-z_][A-Za-z0-9_.-]*)\}$/;

/** A templated path (`/orders/{id}`) as a rule has it (`/orders/:id`), or why it has no such form. */
export function routePath(template: string): { path: string } | { reason: string } {
  if (template.length > mostCharacters) return { reason: 'The path is too long for a rule.' };
  if (!template.startsWith('/')) return { reason: 'The path does not start with "/".' };
  if (/[?#]/.test(template))
    return { reason: 'The path has a query or a fragment; rules know only methods and paths.' };
  const segments: string[] = [];
  for (const segment of template.slice(1).split('/')) {
    const [, name] = parameter.exec(segment) ?? [];
    const reason = name === undefined ? literalReason(segment) : undefined;
    if (reason !== undefined) return { reason };
    // What a parameter is called means nothing to a rule, and a rule's names have neither "-" nor ".".
    segments.push(name === undefined ? segment : `:${name.replaceAll(/[.-]/g, '_')}`);
  }
  const path = `/${segments.join('/')}`;
  const parsed = parseRule({ roleKey: 'any', method: 'GET', path });
  return 'rule' in parsed ? { path } : parsed;
}

function literalReason(segment: string): string | undefined {
  if (/[{}]/.test(segment))
    return 'A segment has a parameter beside other text, or one that can be several segments.';
  if (segment.includes('*')) return 'A segment has "*", which would be a wildcard in a rule.';
  if (segment.includes(':')) return 'A segment has ":", which would be a parameter in a rule.';
  return undefined;
}
