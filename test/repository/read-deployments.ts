// The ways of deploy/ to run the service, each as what it gives its programs: variables, files with secrets, and disks.
import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';

/** The service, or the migration before it. */
export interface Program {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The secret at each path that the program can read. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Where a disk outlives the program. */
  readonly disks: readonly string[];
  /** From the signal to stop until it is killed. */
  readonly graceSeconds: number;
}

export interface Deployment {
  readonly service: Program;
  readonly migrate: Program;
}

export const readDeploy = (file: string): string => readFileSync(`deploy/${file}`, 'utf8');

/** The variables of the image, which those of Compose and Kubernetes are added to. */
export const imageEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  [...(/^ENV (.+)$/m.exec(readDeploy('docker/Dockerfile'))?.[1]?.matchAll(/(\w+)=(\S+)/g) ?? [])].map(
    ([, name = '', value = '']) => [name, value],
  ),
);

export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export const readCompose = (text: string): Compose => parse(text) as Compose;

function composeProgram({ volumes }: Compose, service: ComposeService): Program {
  const mounts = (service.volumes ?? []).map((volume) => volume.split(':'));
  return {
    words: service.command ?? [],
    environment: { ...imageEnvironment, ...service.environment },
    secrets: new Map((service.secrets ?? []).map((name) => [`/run/secrets/${name}`, name])),
    disks: mounts.filter(([name = '']) => name in volumes).map(([, path = '']) => path),
    graceSeconds: Number(/^(\d+)s$/.exec(service.stop_grace_period ?? '10s')?.[1]),
  };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly securityContext: { readonly runAsUser: number };
    readonly terminationGracePeriodSeconds?: number;
    readonly containers: readonly [Container];
    readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
  };
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

export interface Peer {
  readonly namespaceSelector?: Selector;
  readonly podSelector?: Selector;
}

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly template: PodTemplate;
    readonly selector: Selector & Readonly<Record<string, string>>;
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly podSelector: Selector;
    readonly ingress: readonly {
      readonly from?: readonly Peer[];
      readonly ports: readonly { readonly port: string }[];
    }[];
    readonly ports: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
    readonly endpoints: readonly { readonly port: string; readonly path: string }[];
  };
}

const manifests: readonly Manifest[] = [
  'portcullis.yaml',
  'migrate.yaml',
  'network-policy.yaml',
  'optional/service-monitor.yaml',
].flatMap((file) =>
  parseAllDocuments(readDeploy(`kubernetes/${file}`)).map((document) => document.toJS() as Manifest),
);

export function manifestOf(kind: string, name = 'portcullis'): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return found;
}

/** The names of the files in a secret, by the command of the documentation that makes it. */
function filesOf(secretName: string): string[] {
  const page = readFileSync('docs/how-to/kubernetes.md', 'utf8');
  const command = new RegExp(`create secret generic ${secretName}((?: --from-file=\\S+)+)$`, 'm').exec(
    page,
  )?.[1];
  return [...(command ?? '').matchAll(/--from-file=(\S+)/g)].map(([, file = '']) => file);
}

function kubernetesProgram({ spec: { template, volumeClaimTemplates = [] } }: Manifest): Program {
  const { containers, volumes, terminationGracePeriodSeconds = 30 } = template.spec;
  const [{ args, env, volumeMounts }] = containers;
  const pathOf = (volume: string) => volumeMounts.find(({ name }) => name === volume)?.mountPath;
  return {
    words: args,
    environment: { ...imageEnvironment, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
    secrets: new Map(
      volumes.flatMap(({ name, secret }) =>
        secret === undefined
          ? []
          : filesOf(secret.secretName).map((file) => [`${pathOf(name)}/${file}`, file] as const),
      ),
    ),
    disks: volumeClaimTemplates.flatMap(({ metadata: { name } }) => pathOf(name) ?? []),
    graceSeconds: terminationGracePeriodSeconds,
  };
}

/** The values of a key of a unit, in their order; an empty one where it is not there. */
export function valuesOf(unit: string, key: string): string[] {
  return [...readDeploy(`systemd/${unit}`).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(
    ([, value = '']) => value,
  );
}

/** `%d` and `%S` are where systemd puts credentials and state. */
function unitProgram(unit: string): Program {
  const one = (key: string) => valuesOf(unit, key)[0] ?? '';
  return {
    words: one('ExecStart').split(' '),
    environment: Object.fromEntries(
      valuesOf(unit, 'Environment').map((text) => [text.split('=', 1)[0], text.slice(text.indexOf('=') + 1)]),
    ),
    secrets: new Map(
      valuesOf(unit, 'LoadCredential').map((text) => {
        const [name = '', file = ''] = text.split(':');
        return [`%d/${name}`, file];
      }),
    ),
    disks: valuesOf(unit, 'StateDirectory').map((name) => `%S/${name}`),
    graceSeconds: Number(one('TimeoutStopSec') || 90),
  };
}

const compose = readCompose(readDeploy('docker/compose.yaml'));

export function composeServiceOf(name: string): ComposeService {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`There is no service ${name}.`);
  return service;
}

export const deployments: Readonly<Record<string, Deployment>> = {
  systemd: { service: unitProgram('portcullis.service'), migrate: unitProgram('portcullis-migrate.service') },
  Compose: {
    service: composeProgram(compose, composeServiceOf('portcullis')),
    migrate: composeProgram(compose, composeServiceOf('migrate')),
  },
  Kubernetes: {
    service: kubernetesProgram(manifestOf('StatefulSet')),
    migrate: kubernetesProgram(manifestOf('Job', 'portcullis-migrate')),
  },
};
