// A basic check before a form is sent; the service has the exact grammar.
const shape = /^[\x21-\x7e]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/;

export function isMailAddress(text: string): boolean {
  return shape.test(text) && !/[<>()[\],;:\\"]/.test(text);
}
