// A certificate for a server on this host, which vouches for itself. Made with openssl.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export async function makeCertificate(
  folder: string,
): Promise<{ readonly cert: string; readonly key: string }> {
  const files = { cert: join(folder, 'mail.pem'), key: join(folder, 'mail.key') };
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'],
    ...['-keyout', files.key, '-out', files.cert, '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
  ]);
  return files;
}
