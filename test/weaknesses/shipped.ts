// The files that ship with the packages: those of deploy/, and the templates of new projects.
import type { Weakness } from './weakness.ts';

const deployTests = ['test/repository/deploy-files.test.ts'] as const;
const gatewayTests = ['test/repository/deploy-gateways.test.ts'] as const;
const fail2banTests = ['test/conformance/fail2ban.test.ts'] as const;
const envoy = 'deploy/gateways/envoy/envoy.yaml';
const traefik = 'deploy/gateways/traefik/portcullis.yml';
const fail2ban = 'deploy/fail2ban';
const compose = 'deploy/docker/compose.yaml';
const manifests = 'deploy/kubernetes/portcullis.yaml';
const unit = 'deploy/systemd/portcullis.service';
const templates = 'packages/create-portcullis/templates';
const settingsTests = ['packages/create-portcullis/test/settings.test.ts'] as const;
const serviceTests = ['packages/create-portcullis/test/services.test.ts'] as const;

export const shippedWeaknesses: readonly Weakness[] = [
  {
    name: 'systemd restarts a service whose settings are refused',
    file: unit,
    before: 'RestartPreventExitStatus=78',
    after: 'RestartPreventExitStatus=87',
    seenBy: deployTests,
  },
  {
    name: 'systemd kills the service before its drain ends',
    file: unit,
    before: 'TimeoutStopSec=30',
    after: 'TimeoutStopSec=3',
    seenBy: deployTests,
  },
  {
    name: 'the unit of the service reads the URL of the owner',
    file: unit,
    before: 'LoadCredential=database-url:/etc/portcullis/database-url',
    after: 'LoadCredential=database-url:/etc/portcullis/owner-url',
    seenBy: deployTests,
  },
  {
    name: 'a pod without a lease is ready',
    file: manifests,
    before: 'httpGet: { path: /readyz, port: ops }',
    after: 'httpGet: { path: /livez, port: ops }',
    seenBy: deployTests,
  },
  {
    name: 'a pod looks for the decision secret where it is not mounted',
    file: manifests,
    before: 'value: /run/secrets/portcullis/decision-secret',
    after: 'value: /run/secrets/decision-secret',
    seenBy: deployTests,
  },
  {
    name: 'the spool of a pod is not on its disk',
    file: manifests,
    before: '- { name: spool, mountPath: /var/lib/portcullis }',
    after: '- { name: spool, mountPath: /var/lib/portcullis-spool }',
    seenBy: deployTests,
  },
  {
    name: 'a pod is killed before its drain ends',
    file: manifests,
    before: 'terminationGracePeriodSeconds: 30',
    after: 'terminationGracePeriodSeconds: 15',
    seenBy: deployTests,
  },
  {
    name: 'every pod of the cluster can ask for decisions',
    file: 'deploy/kubernetes/network-policy.yaml',
    before: `- namespaceSelector: {}
          podSelector:
            matchLabels: { portcullis.example.com/asks: "true" }`,
    after: '- namespaceSelector: {}',
    seenBy: deployTests,
  },
  {
    name: 'the service in Compose is the owner of the database',
    file: compose,
    before: 'DATABASE_URL_FILE: /run/secrets/service-url',
    after: 'DATABASE_URL_FILE: /run/secrets/owner-url',
    seenBy: deployTests,
    threat: 'T93',
    attacks: ['Compose > gives the URL of the owner'],
  },
  {
    name: 'Compose publishes the API to the network',
    file: compose,
    before: '- 127.0.0.1:8000:8000',
    after: '- 8000:8000',
    seenBy: deployTests,
  },
  {
    name: 'the URL of the service has the role of the owner',
    file: 'deploy/docker/make-secrets',
    before: 'postgres://portcullis_service:$service_password',
    after: 'postgres://postgres:$owner_password',
    seenBy: deployTests,
  },
  {
    name: 'the readiness of the service has another path than in its manifests',
    file: 'packages/server/src/base/ops/listener.ts',
    before: "ready: '/readyz'",
    after: "ready: '/ready'",
    seenBy: deployTests,
  },
  {
    name: 'Envoy lets every request pass while Portcullis is away',
    file: envoy,
    before: 'failure_mode_allow: false',
    after: 'failure_mode_allow: true',
    seenBy: gatewayTests,
  },
  {
    name: 'Envoy does not forward the header that names the site of a request',
    file: envoy,
    before: '                          - exact: sec-fetch-site\n',
    after: '',
    seenBy: gatewayTests,
  },
  {
    name: 'Traefik asks the public listener and treats its refusals as an allow',
    file: traefik,
    before: 'address: http://127.0.0.1:8002/forward-auth',
    after: 'address: http://127.0.0.1:8000/forward-auth',
    seenBy: gatewayTests,
  },
  {
    name: 'Traefik forwards a path from a header of the client',
    file: traefik,
    before: '          X-Forwarded-Path: ""\n',
    after: '',
    seenBy: gatewayTests,
  },
  {
    name: 'fail2ban finds no failed login in the journal',
    file: `${fail2ban}/filter.d/portcullis.conf`,
    before: '(?:\\S+ \\S+\\[\\d+\\]: {"level":30,"time":\\d+,)?',
    after: '',
    seenBy: fail2banTests,
  },
  {
    name: 'the jail bans an address from no web port',
    file: `${fail2ban}/jail.d/portcullis.conf`,
    before: 'port = http,https',
    after: 'port = ssh',
    seenBy: deployTests,
  },
  {
    name: 'a new project in Express reads bodies before the guard decides',
    file: `${templates}/express/src/main.ts`,
    before: 'app.use(protect(guard), express.json(), protect(guard));',
    after: 'app.use(express.json(), protect(guard));',
    seenBy: serviceTests,
  },
  {
    name: 'a new project in Nest reads bodies before the guard decides',
    file: `${templates}/nest/src/main.ts`,
    before: 'app.use(protect(guard), express.json(), protect(guard));',
    after: 'app.use(express.json(), protect(guard));',
    seenBy: serviceTests,
  },
  {
    name: 'a new project in Hono listens on every address',
    file: `${templates}/hono/src/main.ts`,
    before: "hostname: '127.0.0.1', ",
    after: '',
    seenBy: serviceTests,
  },
  {
    name: 'a new project publishes its Postgres to the network',
    file: `${templates}/all/compose.yaml`,
    before: '- 127.0.0.1:5432:5432',
    after: '- 5432:5432',
    seenBy: settingsTests,
  },
  {
    name: 'a new project names a variable that is no setting',
    file: `${templates}/all/portcullis.env`,
    before: 'AUTH_MASTER_KEY_FILE=',
    after: 'AUTH_MASTERKEY_FILE=',
    seenBy: settingsTests,
  },
  {
    name: 'Portcullis of a new project listens on every address in dev',
    file: `${templates}/all/portcullis.yaml`,
    before: `host: 127.0.0.1
  port: 8000`,
    after: `host: 0.0.0.0
  port: 8000`,
    seenBy: settingsTests,
  },
];
