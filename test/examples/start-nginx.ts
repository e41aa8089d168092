// nginx with the recipe of deploy/gateways as it stands, but for its addresses, its port, its patience and the paths of the
// secret and the log.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository, startProgram } from '../rig/start-process.ts';
import { findFreePort } from '../rig/tcp-proxy.ts';

interface NginxOptions {
  readonly decisionPort: number;
  readonly servicePort: number;
  readonly secret: string;
  /** Serves go-admin's front end too: the folder of its files, and where Portcullis itself is. */
  readonly frontEnd?: { readonly folder: string; readonly portcullisPort: number };
}

export async function startNginx({ decisionPort, servicePort, secret, frontEnd }: NginxOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-nginx-'));
  const port = await findFreePort();
  const secretFile = join(folder, 'secret.conf');
  await writeFile(secretFile, `proxy_set_header X-Portcullis-Secret "${secret}";\n`, { mode: 0o600 });
  const listen = `listen 127.0.0.1:${port};`;
  const included = join(folder, 'go-admin-ui.conf');
  if (frontEnd !== undefined)
    await writeFile(
      included,
      await readRecipe('go-admin-ui.conf', [
        ['127.0.0.1:8000', `127.0.0.1:${frontEnd.portcullisPort}`],
        ['/srv/go-admin-ui', frontEnd.folder],
      ]),
    );
  const changed = await readRecipe('portcullis.conf', [
    ['127.0.0.1:8002', `127.0.0.1:${decisionPort}`],
    ['127.0.0.1:9000', `127.0.0.1:${servicePort}`],
    ['listen 8080;', frontEnd === undefined ? listen : `${listen} include ${included};`],
    ['/etc/nginx/portcullis-secret.conf', secretFile],
    ['/var/log/nginx/access.log', join(folder, 'access.log')],
    [' 2s;', ' 120s;'],
  ]);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; user root; worker_processes 1; pid ${join(folder, 'pid')}; error_log stderr notice;
     events {} http { include /etc/nginx/mime.types; access_log off; ${paths.join(' ')}\n${changed}\n}`,
  );
  const nginx = startProgram('/usr/sbin/nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]);
  await nginx.waitForLine(/start worker process /);
  return {
    port,
    async stop() {
      nginx.signal('SIGTERM');
      await nginx.exited;
      await rm(folder, { recursive: true });
    },
  };
}

async function readRecipe(name: string, changes: readonly (readonly [string, string])[]): Promise<string> {
  const recipe = await readFile(join(repository, 'deploy/gateways/nginx', name), 'utf8');
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The recipe for nginx has no ${from}.`);
    return text.replaceAll(from, to);
  }, recipe);
}
