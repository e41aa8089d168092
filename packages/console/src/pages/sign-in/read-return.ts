// The page to open after signing in: only a page of the console, never an external address (open redirect).
export function readReturn(to: unknown): string {
  return typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/';
}
