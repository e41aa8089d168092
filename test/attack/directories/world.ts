// One service with a real directory beside it, and one that lies: each a provider, made as an administrator makes them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Authority, createAuthority } from '../../rig/certificates.ts';
import { type FalseDirectory, startFalseDirectory } from '../../rig/false-directory.ts';
import type { Answer } from '../../rig/http-client.ts';
import { note } from '../../rig/notes.ts';
import { directoryPassword, type NewEntry, reader, type Slapd, startSlapd, suffix } from '../../rig/slapd.ts';
import type { Service } from '../../rig/start-service.ts';
import { useService } from '../../rig/use-service.ts';
import { outcomeOf } from '../sign-in-methods/people.ts';

export interface DirectoryWorld {
  readonly service: Service;
  readonly slapd: Slapd;
  readonly liar: FalseDirectory;
  readonly authority: Authority;
  /** As the administrator. */
  call(method: string, path: string, body?: object): Promise<Answer>;
  /** The same; throws where it is refused. */
  byAdmin(method: string, path: string, body?: object): Promise<Answer>;
  /** A provider that passes its check and is enabled; its id. */
  addProvider(fields?: object, settings?: object): Promise<number>;
  logIn(username: string, password?: string, more?: object): Promise<Answer>;
  /** `in` where there is a token; else why not: `unavailable` where that was so twice. */
  outcome(username: string, password?: string, more?: object): Promise<string>;
  /** Whether a token still opens anything. */
  isLive(token: string): Promise<boolean>;
}

interface WorldOptions {
  readonly entries?: readonly NewEntry[];
  /** Of the service, beside those that every world has. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** In a whole suite. */
const mostAskedAgain = 5;

let keys = 0;

export function useDirectoryWorld({ entries = [], settings = {} }: WorldOptions = {}): () => DirectoryWorld {
  const service = useService({ mode: 'prod', settings });
  let world: DirectoryWorld | undefined;
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portcullis-directories-'));
    const authority = await createAuthority(folder);
    const [slapd, liar] = await Promise.all([
      startSlapd({ entries }),
      authority.issue('localhost').then((certificate) => startFalseDirectory({ certificate })),
    ]);
    world = createWorld(service(), { slapd, liar, authority });
  });
  afterAll(async () => {
    await Promise.all([world?.slapd.stop(), world?.liar.close()]);
    await rm(folder, { recursive: true, force: true });
  });
  return () => {
    if (world === undefined) throw new Error('The directories have not started yet.');
    return world;
  };
}

function createWorld(
  service: Service,
  parts: Pick<DirectoryWorld, 'slapd' | 'liar' | 'authority'>,
): DirectoryWorld {
  const { slapd } = parts;
  const { send, solvedCaptcha, postLogin } = service;
  const call: DirectoryWorld['call'] = async (method, path, body) => {
    const authorization = `Bearer ${await service.tokenOf('ada')}`;
    const request = { method, path: `/api/v1${path}`, headers: { authorization } };
    return await send({ ...request, ...(body && { body }) });
  };
  const byAdmin: DirectoryWorld['byAdmin'] = async (method, path, body) => {
    const answer = await call(method, path, body);
    if (answer.body.code !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  };
  const logIn: DirectoryWorld['logIn'] = async (username, password = directoryPassword, more = {}) =>
    await postLogin({ username, password, ...(await solvedCaptcha()), ...more });

  return {
    service,
    ...parts,
    call,
    byAdmin,
    async addProvider(fields = {}, settings = {}) {
      keys += 1;
      const body = {
        key: `dir${keys}`,
        kind: 'ldap',
        name: 'Company directory',
        provisioning: 'created',
        roleId: 5,
        departmentId: 1,
        isDefault: true,
        secret: reader.password,
        settings: {
          url: slapd.url,
          dialect: 'ldap',
          ca: slapd.ca,
          bindDn: reader.dn,
          baseDn: suffix,
          ...settings,
        },
        ...fields,
      };
      const { id } = (await byAdmin('POST', '/providers', body)).body.data as { id: number };
      await byAdmin('PUT', `/providers/${id}/enabled`, { enabled: true });
      return id;
    },
    logIn,
    async outcome(...login) {
      const first = outcomeOf(await logIn(...login));
      if (first !== 'unavailable') return first;
      // The service waits 1.5 s for a connection to a directory, and 3 s for a login. On a busy machine a directory can take longer:
      // then it is asked once more, and the closing line counts each time that this changes the outcome.
      const second = outcomeOf(await logIn(...login));
      if (second !== first)
        note('retried', 'a login at a directory that was unavailable once', mostAskedAgain);
      return second;
    },
    async isLive(token) {
      const { body } = await send({ path: '/api/v1/getinfo', headers: { authorization: `Bearer ${token}` } });
      return body.code === 200;
    },
  };
}
