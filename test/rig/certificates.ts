// Certificates for tests: a separate authority, and servers that it vouches for by name. Made with openssl.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Certificate {
  readonly certificate: string;
  readonly key: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

export interface Authority {
  /** As PEM. */
  readonly certificate: string;
  readonly file: string;
  issue(name: string, options?: { readonly days?: number }): Promise<Certificate>;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export async function createAuthority(folder: string, name = 'rig'): Promise<Authority> {
  const file = join(folder, `${name}-ca.pem`);
  const keyFile = join(folder, `${name}-ca.key`);
  const subject = ['-subj', `/CN=${name} authority`, '-days', '30'];
  await run('openssl', ['req', '-x509', ...newKey, '-keyout', keyFile, '-out', file, ...subject]);
  let issued = 0;
  return {
    file,
    certificate: await readFile(file, 'utf8'),
    async issue(host, { days = 30 } = {}) {
      issued += 1;
      const base = join(folder, `${name}-${issued}`);
      const files = { certificateFile: `${base}.pem`, keyFile: `${base}.key` };
      const request = `${base}.csr`;
      const extensions = `${base}.ext`;
      await run('openssl', [
        'req',
        '-new',
        ...newKey,
        '-keyout',
        files.keyFile,
        '-out',
        request,
        '-subj',
        `/CN=${host}`,
      ]);
      await writeFile(extensions, `subjectAltName=DNS:${host}\n`);
      const by = [
        '-CA',
        file,
        '-CAkey',
        keyFile,
        '-CAcreateserial',
        '-days',
        String(days),
        '-extfile',
        extensions,
      ];
      await run('openssl', ['x509', '-req', '-in', request, '-out', files.certificateFile, ...by]);
      const [certificate, key] = await Promise.all([
        readFile(files.certificateFile, 'utf8'),
        readFile(files.keyFile, 'utf8'),
      ]);
      return { ...files, certificate, key };
    },
  };
}
