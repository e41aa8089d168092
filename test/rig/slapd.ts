// A separate OpenLDAP server: a folder for its settings and its people, ports that were free, a separate certificate
// authority, and the overlay that keeps `memberOf`.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Attribute, Change, Client } from 'ldapts';
import { createAuthority } from './certificates.ts';

const run = promisify(execFile);

export const suffix = 'dc=example,dc=com';
const peopleDn = `ou=people,${suffix}`;
const groupsDn = `ou=groups,${suffix}`;
const root = { dn: `cn=root,${suffix}`, password: 'root-of-the-rig' };
export const reader = { dn: `cn=reader,${suffix}`, password: 'reader-of-the-rig' };
export const directoryPassword = 'Directory-password-4711';

export interface NewEntry {
  readonly dn: string;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
}

export interface Slapd {
  /** TLS from the first byte, and StartTLS. */
  readonly url: string;
  readonly startTlsUrl: string;
  readonly ca: string;
  readonly pid: number;
  add(...entries: readonly NewEntry[]): Promise<void>;
  replace(dn: string, attribute: string, values: readonly string[]): Promise<void>;
  rename(dn: string, newDn: string): Promise<void>;
  remove(dn: string): Promise<void>;
  /** What the directory knows an entry by, whatever its name becomes. */
  idOf(dn: string): Promise<string>;
  /** Holds the process where it is, and lets it go on. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export const dnOf = (uid: string) => `uid=${uid},${peopleDn}`;
export const groupDn = (name: string) => `cn=${name},${groupsDn}`;

export function personEntry(uid: string, more: NewEntry['attributes'] = {}): NewEntry {
  const attributes = {
    objectClass: ['inetOrgPerson', 'shadowAccount'],
    uid,
    cn: `Person ${uid}`,
    sn: uid,
    mail: `${uid}@example.com`,
    userPassword: directoryPassword,
    ...more,
  };
  return { dn: dnOf(uid), attributes };
}

export function groupEntry(name: string, members: readonly string[]): NewEntry {
  return { dn: groupDn(name), attributes: { objectClass: 'groupOfNames', cn: name, member: members } };
}

const base: readonly NewEntry[] = [
  { dn: suffix, attributes: { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' } },
  { dn: peopleDn, attributes: { objectClass: 'organizationalUnit', ou: 'people' } },
  { dn: groupsDn, attributes: { objectClass: 'organizationalUnit', ou: 'groups' } },
  {
    dn: reader.dn,
    attributes: {
      objectClass: ['organizationalRole', 'simpleSecurityObject'],
      cn: 'reader',
      userPassword: reader.password,
    },
  },
];

interface SlapdOptions {
  /** Written before the start, with `memberOf` where there is any: the overlay is not asked then. */
  readonly entries?: readonly NewEntry[];
  readonly host?: string;
  readonly certificateDays?: number;
}

export async function startSlapd({
  entries = [],
  host = 'localhost',
  certificateDays = 30,
}: SlapdOptions = {}): Promise<Slapd> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-slapd-'));
  const authority = await createAuthority(folder);
  const { certificateFile, keyFile } = await authority.issue(host, { days: certificateDays });
  await mkdir(join(folder, 'db'));
  const settings = join(folder, 'slapd.conf');
  await writeFile(settings, settingsOf({ folder, certificateFile, keyFile, ca: authority.file }));
  const people = join(folder, 'people.ldif');
  await writeFile(people, [...base, ...entries].map(ldifOf).join('\n'));
  await run('/usr/sbin/slapadd', ['-q', '-f', settings, '-l', people], { maxBuffer: 2 ** 26 });
  const [plainPort, tlsPort] = await Promise.all([freePort(), freePort()]);
  const listen = `ldap://127.0.0.1:${plainPort} ldaps://127.0.0.1:${tlsPort}`;
  const child = spawn('/usr/sbin/slapd', ['-f', settings, '-h', listen, '-d', '0'], { stdio: 'ignore' });
  const client = new Client({ url: `ldap://127.0.0.1:${plainPort}`, connectTimeout: 2000, timeout: 30_000 });
  await bindWhenUp(child, client);

  return {
    url: `ldaps://${host}:${tlsPort}`,
    startTlsUrl: `ldap://${host}:${plainPort}`,
    ca: authority.certificate,
    pid: child.pid ?? 0,
    async add(...added) {
      for (const { dn, attributes } of added) await client.add(dn, mutable(attributes));
    },
    async replace(dn, type, values) {
      const modification = new Attribute({ type, values: [...values] });
      await client.modify(dn, new Change({ operation: 'replace', modification }));
    },
    rename: (dn, newDn) => client.modifyDN(dn, newDn),
    remove: (dn) => client.del(dn),
    async idOf(dn) {
      const { searchEntries } = await client.search(dn, { scope: 'base', attributes: ['entryUUID'] });
      return String(searchEntries[0]?.entryUUID);
    },
    freeze() {
      child.kill('SIGSTOP');
      // The signal is on its way: an answer before each thread stands still would be no answer of a directory that hangs.
      while (!isStopped(child.pid));
    },
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      await client.unbind().catch(() => {});
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function bindWhenUp(child: ChildProcess, client: Client): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    if (child.exitCode !== null) throw new Error(`slapd ended with ${child.exitCode}.`);
    try {
      await client.bind(root.dn, root.password);
      return;
    } catch (error) {
      if (tries === 200) throw error;
      await sleep(25);
    }
  }
}

function settingsOf(
  files: Readonly<Record<'folder' | 'certificateFile' | 'keyFile' | 'ca', string>>,
): string {
  const schemas = ['core', 'cosine', 'nis', 'inetorgperson'];
  return [
    ...schemas.map((name) => `include /etc/ldap/schema/${name}.schema`),
    `pidfile ${files.folder}/slapd.pid`,
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    'moduleload memberof',
    // As Active Directory does: a bind with a name and no password succeeds, as an anonymous bind.
    'allow bind_anon_cred bind_anon_dn',
    'sizelimit unlimited',
    'threads 4',
    `TLSCACertificateFile ${files.ca}`,
    `TLSCertificateFile ${files.certificateFile}`,
    `TLSCertificateKeyFile ${files.keyFile}`,
    'database mdb',
    'maxsize 1073741824',
    'dbnosync',
    `suffix "${suffix}"`,
    `rootdn "${root.dn}"`,
    `rootpw ${root.password}`,
    `directory ${files.folder}/db`,
    'index objectClass,uid,entryUUID,member eq',
    'overlay memberof',
    'access to attrs=userPassword by anonymous auth by * none',
    `access to * by dn.exact="${reader.dn}" read by * none`,
    '',
  ].join('\n');
}

function ldifOf({ dn, attributes }: NewEntry): string {
  const lines = Object.entries(attributes).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((each) => `${name}:: ${base64(each)}`),
  );
  return [`dn:: ${base64(dn)}`, ...lines, ''].join('\n');
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function mutable(attributes: NewEntry['attributes']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether no thread of the process runs; true where there is none, and where there is no /proc to tell. */
function isStopped(pid = 0): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.every((thread) =>
      / [TtZX] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
    );
  } catch {
    return true;
  }
}
