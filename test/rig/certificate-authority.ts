// Certificates for counterparts that are asked over TLS: an authority of the test's own, which the service is told to believe.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface CertificateAuthority {
  /** Its own certificate, as a file and as text. */
  readonly file: string;
  readonly certificate: string;
  /** Of `localhost`, 127.0.0.1 and 0.0.0.0, which leads there too, unless another name is given. */
  certify(name?: string): Promise<{ key: string; cert: string }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function createCertificateAuthority(): Promise<CertificateAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'authority-'));
  const at = (name: string) => join(folder, name);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const [key, file] = [at('ca.key'), at('ca.pem')];
  await run('openssl', [
    ...['req', '-x509', ...newKey, '-keyout', key, '-out', file, '-days', '2'],
    ...['-subj', '/CN=authority of a test'],
  ]);
  let made = 0;
  return {
    file,
    certificate: await readFile(file, 'utf8'),
    async certify(name = 'localhost') {
      made += 1;
      const [own, request, signed, extensions] = ['key', 'csr', 'pem', 'ext'].map((end) =>
        at(`${made}.${end}`),
      ) as [string, string, string, string];
      await run('openssl', ['req', ...newKey, '-keyout', own, '-out', request, '-subj', `/CN=${name}`]);
      const addresses = name === 'localhost' ? ',IP:127.0.0.1,IP:0.0.0.0' : '';
      await writeFile(extensions, `subjectAltName=DNS:${name}${addresses}`);
      await run('openssl', [
        ...['x509', '-req', '-in', request, '-CA', file, '-CAkey', key, '-CAcreateserial'],
        ...['-out', signed, '-days', '2', '-extfile', extensions],
      ]);
      return { key: await readFile(own, 'utf8'), cert: await readFile(signed, 'utf8') };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
