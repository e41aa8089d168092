import { describe, expect, it } from 'vitest';
import { lintTransport } from '../../../src/base/settings/lint-transport.ts';

const lint = (url: string, environment: Record<string, string> = {}, allowPlaintext = false) =>
  lintTransport({ url, allowPlaintext }, environment);
const remote = 'postgres://u:canary-secret@db.example/portcullis';

describe('a way to Postgres', () => {
  it.each([
    remote,
    'postgres://u@10.0.0.5/portcullis',
    'postgres://u@0.0.0.0/portcullis',
    'postgres://u@127.0.0.1.example/portcullis',
    'postgres://u@localhost.example/portcullis',
    'postgres://u@[2001:db8::1]/portcullis',
    'postgres://u@127.0.0.1/portcullis?host=db.example',
    `${remote}?sslmode=disable`,
    `${remote}?sslmode=no-verify`,
    `${remote}?ssl=no-verify`,
    `${remote}?ssl=false`,
    `${remote}?ssl=0`,
    `${remote}?uselibpqcompat=true&sslmode=require`,
    `${remote}?uselibpqcompat=true&sslmode=prefer`,
    'db.example',
  ])('to another host without verified TLS is refused: %s', (url) => {
    const [reason = '', ...others] = lint(url);
    expect(reason).toMatch(/sslmode=verify-full.*database\.allowPlaintext/);
    expect(reason).not.toContain('canary');
    expect(others).toEqual([]);
  });

  it.each([`${remote}?sslmode=verify-full`, `${remote}?ssl=true`])(
    'with verified TLS is taken: %s',
    (url) => {
      expect(lint(url)).toEqual([]);
    },
  );

  it('whose verification the environment switches off is refused', () => {
    const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(lint(`${remote}?sslmode=verify-full`, environment)).toEqual([
      expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED'),
    ]);
  });

  it('that cannot be read is refused without its text', () => {
    expect(lint(`${remote}?sslrootcert=/no/such/file`)).toEqual([
      expect.stringMatching(/^`database\.url` cannot be read(?!.*canary)/),
    ]);
  });

  it('in plaintext is taken where the operator says so', () => {
    expect(lint(remote, {}, true)).toEqual([]);
  });

  it.each([
    'postgres://u@127.0.0.1:5432/portcullis',
    'postgres://u@127.9.9.9/portcullis',
    'postgres://u@[::1]/portcullis',
    'postgres://u@localhost/portcullis',
    'postgres://u@/portcullis?host=/var/run/postgresql',
    'socket:/var/run/postgresql?db=portcullis',
  ])('that does not leave the machine is taken: %s', (url) => {
    expect(lint(url)).toEqual([]);
  });
});
