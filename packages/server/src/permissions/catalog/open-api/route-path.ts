// Converts the path template of an OpenAPI document to the path of a rule. A path that a rule cannot name is refused. It
// repairs and guesses nothing, because a rule for a path that the service does not have would protect nothing.
import { parseRule } from '@portcullis/policy';

/** Longer than the path of any rule; it bounds the work. */
const mostCharacters = 1024;
// A name without RFC 6570 operators before it or modifiers after it, because those can expand to several segments.
const parameter = /^\{([A-Za-z_][A-Za-z0-9_.-]*)\}$/;

/** Converts `/orders/{id}` to `/orders/:id`, or returns the reason why a rule cannot name the path. */
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
    // The name of a parameter has no effect in a rule, and names in rules contain neither "-" nor ".".
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
