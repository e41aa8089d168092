// Where to go after signing in: a page of the console, and never an address from outside.
export function readReturn(to: unknown): string {
  return typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/';
}
