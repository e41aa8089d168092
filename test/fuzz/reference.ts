// The decision once more, slow and readable: every rule of the role, segment by segment. It is what the engine is
// measured against, and shares nothing with it. The product never imports it.

export interface ReferenceRule {
  readonly roleKey: string;
  readonly method: string;
  readonly path: string;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

export function referenceDecision(
  rules: Iterable<ReferenceRule>,
  roleKey: string,
  method: string,
  path: string,
): 'allow' | 'deny' {
  if (!methods.includes(method) || !isCanonicalPath(path)) return 'deny';
  for (const rule of rules) {
    if (rule.roleKey !== roleKey) continue;
    if (rule.method !== '*' && rule.method !== method) continue;
    if (isPathMatched(rule.path, path)) return 'allow';
  }
  return 'deny';
}

export function isPathMatched(rulePath: string, path: string): boolean {
  const expected = rulePath.split('/');
  const actual = path.split('/');
  for (let i = 0; i < expected.length; i++) {
    if (expected[i] === '*') return i < actual.length && actual[i] !== '';
    if (i >= actual.length) return false;
    if (expected[i]?.startsWith(':')) {
      if (actual[i] === '') return false;
    } else if (expected[i] !== actual[i]) return false;
  }
  return expected.length === actual.length;
}

/** Whether a path means one thing only. A slash at the end is the one empty segment that may be. */
export function isCanonicalPath(path: string): boolean {
  if (path.length > 4096 || !path.startsWith('/') || path.includes('//')) return false;
  const segments = path.split('/');
  if (segments.includes('.') || segments.includes('..')) return false;
  if (/[^A-Za-z0-9\-._~!$&'()*+,=:@%/]/.test(path)) return false;
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return false;
  const escapes = path.match(/%[0-9A-Fa-f]{2}/g) ?? [];
  return escapes.every((digits) => {
    const code = Number.parseInt(digits.slice(1), 16);
    if (code < 0x20 || code === 0x7f) return false;
    return code > 0x7f || !/[A-Za-z0-9\-._~/\\]/.test(String.fromCharCode(code));
  });
}
