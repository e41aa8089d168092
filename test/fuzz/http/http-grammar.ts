// What is HTTP at all: the request line and header lines that a strict parser reads. Everything else is answered
// with 400 and the connection closed.
import { METHODS } from 'node:http';
import { framingOf, type HttpCase, valuesOf } from './request.ts';

/** Target, names and values together must stay below it. */
const headLimit = 16 * 1024;
const readableVersions = ['HTTP/0.9', 'HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0'];
const fieldName = /^[!#$%&'*+\-.^_`|~A-Za-z0-9]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: They are what must not be in a value.
const brokenValue = /[\x00-\x08\x0a-\x1f\x7f]/;
const server = "[A-Za-z0-9\\-_.!~*'()%;:&=+$,@[\\]]*";
const absoluteForm = new RegExp(`^[A-Za-z]+://${server}(?:[/?].*)?$`);
const authorityForm = new RegExp(`^${server}(?:[/?].*)?$`);

export function isHttp(sent: HttpCase): boolean {
  const { method, version, headers } = sent;
  if (!METHODS.includes(method) || !isTarget(method, sent.target.replace(/^ +| +$/g, ''))) return false;
  if (!readableVersions.includes(version)) return false;
  if (!headers.every(([name, value]) => fieldName.test(name) && !brokenValue.test(value))) return false;
  if (headLength(sent) >= headLimit) return false;
  // CONNECT is refused before anything of the request is looked at.
  if (method === 'CONNECT') return true;
  if (version !== 'HTTP/1.1' && version !== 'HTTP/1.0') return false;
  const hosts = valuesOf(sent, 'host').length;
  return hosts === 1 || (hosts === 0 && version === 'HTTP/1.0');
}

function headLength({ target, headers, body }: HttpCase): number {
  const texts = [...headers, ...framingOf(body)].flatMap(([name, value]) => [name, value.trim()]);
  return [target.trim(), ...texts].reduce((length, text) => length + text.length, 0);
}

function isTarget(method: string, target: string): boolean {
  if (!/^[\x21-\x7e]*$/.test(target)) return false;
  // One without a target is read too.
  if (method === 'CONNECT') return authorityForm.test(target) && !/^[^/?]*@@/.test(target);
  if (target.startsWith('/') || target.startsWith('*')) return true;
  return absoluteForm.test(target) && !/^[A-Za-z]+:\/\/[^/?]*@@/.test(target);
}
