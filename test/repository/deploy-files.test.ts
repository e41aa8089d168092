// What the files of deploy/ mean to the product. Their schemas and the programs that read them: `npm run operate`.
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../packages/operator/src/terminal/exit-codes.ts';
import { opsPaths } from '../../packages/server/src/base/ops/listener.ts';
import { allSettings } from '../../packages/server/src/base/settings/schema.ts';
import { failIfAttackSucceeded } from '../weaknesses/attack.ts';
import {
  composeServiceOf,
  deployments,
  imageEnvironment,
  manifestOf,
  type Program,
  readCompose,
  readDeploy,
  valuesOf,
} from './read-deployments.ts';

const defaultOf = (key: string) => Number(allSettings.find((setting) => setting.key === key)?.schema.default);
/** The service answers for so long after the signal; then it ends what is in flight and writes its last records. */
const drainSeconds = defaultOf('application.drainSeconds');
const endSeconds = 10;
const ports = {
  http: defaultOf('application.port'),
  ops: defaultOf('ops.port'),
  decision: defaultOf('decision.port'),
};
/** A `..._FILE` is for a secret alone. */
const variables = new Set([
  'NODE_ENV',
  ...allSettings.map(({ variable }) => variable),
  ...allSettings.filter(({ schema }) => schema.secret).map(({ variable }) => `${variable}_FILE`),
]);
const filesOf = ({ environment }: Program) =>
  Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

describe.each(Object.entries(deployments))('%s', (_name, { service, migrate }) => {
  it('sets no variable that is no setting', () => {
    for (const { environment } of [service, migrate])
      expect(Object.keys(environment).filter((name) => !variables.has(name))).toEqual([]);
  });

  it('reads every secret from a mounted file, and mounts no other', () => {
    for (const program of [service, migrate]) {
      const paths = filesOf(program).map(([, path]) => path);
      expect(paths.length).toBeGreaterThanOrEqual(2);
      expect(paths.toSorted()).toEqual([...program.secrets.keys()].toSorted());
    }
  });

  it('gives the URL of the owner of the database to the migration alone', () => {
    const urlOf = ({ environment, secrets }: Program) => secrets.get(environment.DATABASE_URL_FILE ?? '');
    expect(urlOf(migrate)).toMatch(/\bowner-url$/);
    failIfAttackSucceeded(
      /\bowner-url$/.test(service.environment.DATABASE_URL_FILE ?? ''),
      'the service is the owner of the database',
    );
    expect(urlOf(service)).toMatch(/\b(service|database)-url$/);
    expect([...service.secrets.values()].filter((secret) => /owner/.test(secret))).toEqual([]);
    expect(migrate.words.join(' ')).toMatch(/\bmigrate --service-role portcullis_service$/);
    expect(service.words).not.toContain('migrate');
  });

  it('keeps the spool on a persistent disk', () => {
    const { LOGGER_SPOOL_FOLDER: folder = '' } = service.environment;
    expect(service.disks.filter((disk) => isBelow(folder, disk))).toHaveLength(1);
  });

  it('kills the service only after its drain', () => {
    expect(service.graceSeconds).toBeGreaterThan(drainSeconds + endSeconds);
  });

  it('never runs in dev', () => {
    expect(service.environment.APPLICATION_MODE ?? 'prod').toBe('prod');
  });
});

describe('the units of systemd', () => {
  it('restart the service, but not where its settings are refused', () => {
    const unit = 'portcullis.service';
    expect(valuesOf(unit, 'Restart')).toEqual(['on-failure']);
    expect(valuesOf(unit, 'RestartPreventExitStatus')).toEqual([String(exitCodes.configuration)]);
  });
});

describe('the jail of fail2ban', () => {
  const jail = readDeploy('fail2ban/jail.d/portcullis.conf');
  const settingOf = (key: string) => new RegExp(`^${key} = (.*)$`, 'm').exec(jail)?.[1];

  it('is enabled with the filter beside it, on a log that it names, and bans from the ports of the web', () => {
    expect(settingOf('enabled')).toBe('true');
    expect(readDeploy(`fail2ban/filter.d/${settingOf('filter')}.conf`)).toMatch(/^failregex = /m);
    expect(settingOf('logpath')).toMatch(/^\/var\/log\/.+\.log$/);
    expect(settingOf('port')).toBe('http,https');
  });

  it('names the shipped unit in its line about the journal', () => {
    const [, unit] = /`journalmatch = _SYSTEMD_UNIT=(\S+)`/.exec(jail) ?? [];
    expect(valuesOf(String(unit), 'ExecStart')).toHaveLength(1);
  });
});

describe('the Compose file', () => {
  const compose = readCompose(readDeploy('docker/compose.yaml'));
  const maker = readDeploy('docker/make-secrets');

  it('publishes the API alone, to this host', () => {
    const published = Object.values(compose.services).flatMap((service) => service.ports ?? []);
    expect(published).toEqual([`127.0.0.1:${ports.http}:${ports.http}`]);
  });

  it('names only secrets that make-secrets writes', () => {
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`./secrets/${name}`);
      expect(maker).toContain(`> secrets/${name}\n`);
    }
  });

  it('keeps its secrets out of the repository', () => {
    const kept = readDeploy('docker/.gitignore').split('\n');
    for (const { file } of Object.values(compose.secrets))
      expect(kept).toContain(`${dirname(file).replace('./', '')}/`);
  });

  it('logs the service in as the role that its database makes for it', () => {
    const roleOf = (secret: string) =>
      new RegExp(`^echo "postgres://(\\w+):.*> secrets/${secret}$`, 'm').exec(maker)?.[1];
    expect(composeServiceOf('postgres').environment.POSTGRES_USER ?? 'postgres').toBe(roleOf('owner-url'));
    expect(readDeploy('docker/create-service-role.sh')).toContain(
      `create role ${roleOf('service-url')} login`,
    );
    expect(composeServiceOf('migrate').command?.at(-1)).toBe(roleOf('service-url'));
  });
});

describe('the image', () => {
  const dockerfile = readDeploy('docker/Dockerfile');

  it('checks health at the liveness path, and exposes the API alone', () => {
    expect(dockerfile).toMatch(
      new RegExp(`^HEALTHCHECK .*'http://127.0.0.1:${ports.ops}${opsPaths.live}'`, 'm'),
    );
    expect(dockerfile.match(/^EXPOSE .*$/gm)).toEqual([`EXPOSE ${ports.http}`]);
  });

  it('writes to its volume as the user of the manifests', () => {
    const user = manifestOf('StatefulSet').spec.template.spec.securityContext.runAsUser;
    expect(dockerfile).toMatch(new RegExp(`^USER ${user}:${user}$`, 'm'));
    const volume = /^VOLUME (\S+)$/m.exec(dockerfile)?.[1] ?? '';
    expect(isBelow(imageEnvironment.LOGGER_SPOOL_FOLDER ?? '', volume)).toBe(true);
    expect(dockerfile).toContain(`--chown=${user}:${user} /spool ${volume}\n`);
  });
});

describe('the manifests of Kubernetes', () => {
  const { template } = manifestOf('StatefulSet').spec;
  const [container] = template.spec.containers;
  const labels = Object.entries(template.metadata.labels);

  it('probe readiness and liveness at their paths', () => {
    expect(container.readinessProbe.httpGet).toEqual({ path: opsPaths.ready, port: 'ops' });
    for (const probe of [container.startupProbe, container.livenessProbe])
      expect(probe.httpGet).toEqual({ path: opsPaths.live, port: 'ops' });
  });

  it('name the ports of the product, on addresses that other pods reach', () => {
    const named = container.ports?.map(({ name, containerPort }) => [name, containerPort]) ?? [];
    expect(Object.fromEntries(named)).toEqual(ports);
    for (const { name, port, targetPort } of [
      ...manifestOf('Service').spec.ports,
      ...manifestOf('Service', 'portcullis-ops').spec.ports,
    ])
      expect([port, targetPort]).toEqual([ports[name as keyof typeof ports], name]);
    expect(deployments.Kubernetes?.service.environment).toMatchObject({
      DECISION_HOST: '0.0.0.0',
      OPS_HOST: '0.0.0.0',
    });
  });

  it('select the pods of the service', () => {
    for (const { spec } of [
      manifestOf('NetworkPolicy'),
      manifestOf('PodDisruptionBudget'),
      manifestOf('Service'),
      manifestOf('Service', 'portcullis-ops'),
    ]) {
      const selector = spec.podSelector ?? spec.selector;
      const wanted = Object.entries(selector.matchLabels ?? selector);
      expect(wanted.length).toBeGreaterThan(0);
      expect(labels).toEqual(expect.arrayContaining(wanted));
    }
  });

  it('open each port to pods or namespaces that have a label, and decisions to labelled pods', () => {
    const { ingress } = manifestOf('NetworkPolicy').spec;
    expect(ingress.flatMap((rule) => rule.ports.map(({ port }) => port)).toSorted()).toEqual(
      Object.keys(ports).toSorted(),
    );
    const countLabels = (selector?: { matchLabels?: object }) =>
      Object.keys(selector?.matchLabels ?? {}).length;
    for (const { from = [], ports: opened } of ingress) {
      expect(from.length).toBeGreaterThan(0);
      for (const { namespaceSelector, podSelector } of from) {
        expect(countLabels(namespaceSelector) + countLabels(podSelector)).toBeGreaterThan(0);
        if (opened.some(({ port }) => port === 'decision'))
          expect(countLabels(podSelector)).toBeGreaterThan(0);
      }
    }
  });

  it('have Prometheus read the metrics at the ops listener', () => {
    const monitor = manifestOf('ServiceMonitor').spec;
    expect(monitor.endpoints).toMatchObject([{ port: 'ops', path: opsPaths.metrics }]);
    const { labels: own = {} } = manifestOf('Service', 'portcullis-ops').metadata;
    expect(own).toMatchObject(monitor.selector.matchLabels ?? { none: true });
    expect(readDeploy('prometheus/prometheus.yaml')).toMatch(new RegExp(`targets: \\[".+:${ports.ops}"`));
  });
});
