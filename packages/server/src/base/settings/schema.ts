// All settings, each with its default, its bounds and the text of docs/reference/configuration.md. A key is `section.name` in the
// file and `SECTION_NAME` in the environment.
import { type Static, type TSchema, Type } from 'typebox';

const port = (value: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 65535, default: value, description });

/** Marks a secret: it can come from a file (`..._FILE`), and is never printed. */
const secret = (description: string) => Type.String({ default: '', secret: true, description });

export const SettingsSchema = Type.Object(
  {
    application: Type.Object(
      {
        mode: Type.String({
          default: 'prod',
          description:
            'Exactly `dev` skips the captcha and issues tokens of roughly 100 years. Any other value behaves as `prod`.',
        }),
        host: Type.String({
          default: '',
          description: 'Address to listen on. Empty: `127.0.0.1` in dev, `0.0.0.0` otherwise.',
        }),
        port: port(8000, 'Port of the API.'),
        trustedProxies: Type.Array(Type.String(), {
          default: [],
          description:
            'Proxies whose `X-Forwarded-For` is believed, each as an address or CIDR range. Empty: the client is the peer of the connection.',
        }),
        allowedOrigins: Type.Array(Type.String(), {
          default: [],
          description:
            'Origins of front ends that may call from another site, each exactly as a browser sends it (`https://admin.example.com`). Empty: CORS is off.',
        }),
        console: Type.Boolean({
          default: true,
          description: 'Whether the console is served under `/console/`.',
        }),
        compatibility: Type.Enum(['none', 'go-admin'], {
          default: 'none',
          description:
            'Exactly `go-admin` serves go-admin’s own front end, unmodified: further endpoints for it, and code 403 in the body instead of the specification’s 401 where a role lacks a permission.',
        }),
        drainSeconds: Type.Integer({
          minimum: 0,
          maximum: 300,
          default: 5,
          description:
            'How long the service goes on answering after SIGTERM while it reports that it is not ready, so that balancers notice.',
        }),
      },
      { additionalProperties: false },
    ),
    ops: Type.Object(
      {
        host: Type.String({
          default: '127.0.0.1',
          description: 'Address of the listener for health checks.',
        }),
        port: port(8001, 'Port of the listener for health checks.'),
      },
      { additionalProperties: false },
    ),
    decision: Type.Object(
      {
        host: Type.String({
          default: '127.0.0.1',
          description: 'Address of the listener that gateways and services ask for decisions.',
        }),
        port: port(8002, 'Port of the listener for decisions.'),
        secret: secret(
          'What gateways and services must know to ask for a decision, at least 32 characters. Make one with `openssl rand -hex 32`. Empty: there is no such listener.',
        ),
        previousSecret: secret('The previous secret, also accepted while the secret is being changed.'),
      },
      { additionalProperties: false },
    ),
    logger: Type.Object(
      {
        enableddb: Type.Boolean({
          default: true,
          description:
            'Whether login attempts are written to the login log. Off: nothing is recorded at all.',
        }),
        level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
          default: 'info',
          description: 'Least severe level of the process log.',
        }),
        spoolFolder: Type.String({
          default: 'portcullis-spool',
          minLength: 1,
          description:
            'Folder of the login log’s spool, where an attempt is kept until it is in the database. What this host knows of the history of access is beside it, and refuses a start on an older one. On a disk of this host, which must outlive the process; several instances of a host may share it.',
        }),
        spoolMegabytes: Type.Integer({
          minimum: 8,
          maximum: 1_048_576,
          default: 1024,
          description:
            'How large the spool of an instance may grow while the database cannot be written to: about 2,000 attempts a megabyte. An eighth is kept for logins that succeed.',
        }),
        geoipFile: Type.String({
          default: '',
          description:
            'File with the countries of addresses, in the format of MaxMind (`.mmdb`). Empty: the login log has no locations.',
        }),
        logFailedLogins: Type.Boolean({
          default: false,
          description:
            'Whether every failed attempt is also a line of the process log, for fail2ban (`deploy/fail2ban`).',
        }),
        retentionMonths: Type.Integer({
          minimum: 0,
          maximum: 1200,
          default: 0,
          description:
            'Full months of the login log that `portcullis log maintain` keeps beside the current one. 0: all of them.',
        }),
        auditRetentionMonths: Type.Integer({
          minimum: 0,
          maximum: 1200,
          default: 0,
          description:
            'Full months of the audit log that `portcullis log maintain` keeps beside the current one. 0: all of them.',
        }),
        anchorFolder: Type.String({
          default: '',
          description:
            'Folder where signed heads of the login log and the audit log are kept, for `portcullis log verify --anchor`: on a disk that the administrators of the database cannot write to. Empty: none.',
        }),
        anchorUrl: secret(
          'Address that the signed heads are sent to with POST, over HTTPS (in dev also `http://` on this host). Redirects are not followed. Empty: none.',
        ),
        anchorIntervalMinutes: Type.Integer({
          minimum: 1,
          maximum: 1440,
          default: 10,
          description: 'How often the signed heads leave the host, where one of the logs has grown.',
        }),
      },
      { additionalProperties: false },
    ),
    database: Type.Object(
      {
        url: Type.String({
          default: 'postgres://postgres@127.0.0.1:5432/portcullis',
          secret: true,
          description: 'Where Postgres is, as a `postgres://` URL.',
        }),
        poolSize: Type.Integer({
          minimum: 2,
          maximum: 100,
          default: 10,
          description:
            'Most connections that one instance keeps for requests. It has one more for its lease, and two for webhooks.',
        }),
        durability: Type.Enum(['standby', 'storage'], {
          default: 'standby',
          description:
            'What keeps acknowledged changes where the primary is lost: a synchronous standby, or replicated storage below Postgres. Outside dev the service warns where there is no synchronous standby, unless it is `storage`.',
        }),
        allowPlaintext: Type.Boolean({
          default: false,
          description:
            'Whether the connection to a Postgres on another host may go without TLS. Better: `?sslmode=verify-full` in the URL.',
        }),
      },
      { additionalProperties: false },
    ),
    auth: Type.Object(
      {
        masterKey: secret(
          '32 random bytes as hex or base64; seals the signing keys. Make one with `openssl rand -hex 32`. Required outside dev.',
        ),
        previousMasterKey: secret(
          'The previous master key, while it is being changed: opens signing keys that are still sealed with it.',
        ),
        tokenLifetimeSeconds: Type.Integer({
          minimum: 300,
          maximum: 86_400,
          default: 3600,
          description: 'How long a token lives outside dev.',
        }),
        cookie: Type.Boolean({ default: true, description: 'Whether login also sets the cookie `jwt`.' }),
      },
      { additionalProperties: false },
    ),
    cluster: Type.Object(
      {
        leaseSeconds: Type.Integer({
          minimum: 2,
          maximum: 10,
          default: 10,
          description:
            'How long an instance that is cut off from Postgres goes on allowing, and so the longest that a change waits for it.',
        }),
      },
      { additionalProperties: false },
    ),
    throttle: Type.Object(
      {
        failuresBeforeDelay: Type.Integer({
          minimum: 1,
          maximum: 20,
          default: 5,
          description:
            'Wrong logins that an account may have from one network before the next one must wait: 5 seconds, then 10, 20 and so on up to 15 minutes.',
        }),
        networkFailuresPerMinute: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 20,
          description:
            'Wrong logins a minute that one network may have, over all accounts. On a device, accounts that have logged in there before have guesses of their own.',
        }),
        accountFailures: Type.Integer({
          minimum: 1,
          maximum: 100,
          default: 100,
          description:
            'Wrong logins in a row, from anywhere, after which an account is open only from networks where it has logged in before.',
        }),
      },
      { additionalProperties: false },
    ),
    password: Type.Object(
      {
        minimumLength: Type.Integer({
          minimum: 8,
          maximum: 64,
          default: 15,
          description:
            'Fewest characters that a new password may have (NIST SP 800-63B asks for 15 where the password is the only factor). Existing passwords stay valid.',
        }),
      },
      { additionalProperties: false },
    ),
    mfa: Type.Object(
      {
        totpIssuer: Type.String({
          default: 'Portcullis',
          pattern: '^[^:]{1,64}$',
          description: 'What authenticator apps call this service, beside the username.',
        }),
        passkeyDomain: Type.String({
          default: '',
          description:
            'Domain that passkeys are bound to for good, such as `example.com` for front ends on it and below it. Empty: passkeys are off, and no user of a role that requires one can log in.',
        }),
        passkeyOrigins: Type.Array(Type.String(), {
          default: [],
          description:
            'Origins of the pages that passkeys are used on, each exactly as a browser sends it: `https://`, in dev also `http://localhost`, on the domain or below it. Empty: `https://` and the domain.',
        }),
      },
      { additionalProperties: false },
    ),
    provider: Type.Object(
      {
        allowedNetworks: Type.Array(Type.String(), {
          default: [],
          description:
            'Networks that are not public and that providers may be in all the same, as addresses and CIDR ranges. Empty: a provider is asked at a public address alone.',
        }),
        caFile: Type.String({
          default: '',
          description:
            'File with the certificates of the authorities that providers may be certified by, beside those that Node knows, in PEM.',
        }),
      },
      { additionalProperties: false },
    ),
    serviceAccount: Type.Object(
      {
        audience: Type.String({
          default: '',
          pattern: '^[\\x21-\\x7e]{0,256}$',
          description:
            'What the assertions of service accounts must be made for, letter by letter; best the address of this service, such as `https://admin.example.com`, and another one than that of any other service. Empty: keys are off, and no service account can log in.',
        }),
        tokenLifetimeSeconds: Type.Integer({
          minimum: 300,
          maximum: 900,
          default: 600,
          description: 'Lifetime of the tokens of service accounts, which log in again for the next one.',
        }),
      },
      { additionalProperties: false },
    ),
    webhook: Type.Object(
      {
        allowedNetworks: Type.Array(Type.String(), {
          default: [],
          description:
            'Networks that are not public and that events may be sent to all the same, each as an address or CIDR range. Empty: public addresses only.',
        }),
        allowLoopback: Type.Boolean({
          default: false,
          description:
            'Whether events may be sent to programs of this host, also over `http://`: to an adapter that runs beside every instance.',
        }),
        maxAttempts: Type.Integer({
          minimum: 1,
          maximum: 20,
          default: 12,
          description:
            'Tries before an event is a dead letter: after 1 second, then 5, 30, and so on up to 8 hours. 12 take about a day.',
        }),
      },
      { additionalProperties: false },
    ),
    mail: Type.Object(
      {
        host: Type.String({
          default: '',
          description: 'Host of the SMTP server that mail is given to. Empty: no mail is sent.',
        }),
        port: port(587, 'Port of the SMTP server: 587 with STARTTLS, 465 with TLS from the first byte.'),
        tls: Type.Enum(['starttls', 'implicit'], {
          default: 'starttls',
          description:
            '`starttls` begins in plain text and goes on only with TLS, `implicit` begins with it. The name of the host is checked in both.',
        }),
        allowPlaintext: Type.Boolean({
          default: false,
          description:
            'Whether mail may go without TLS, for a server on the same host or a network of your own. Links that set passwords can then be read on the way.',
        }),
        caFile: Type.String({
          default: '',
          description:
            'File with the certificates (PEM) that vouch for the SMTP server, where no public authority does. Empty: those that Node knows.',
        }),
        username: Type.String({
          default: '',
          description: 'Who logs in at the SMTP server. Empty: no login.',
        }),
        password: secret('The password at the SMTP server.'),
        from: Type.String({
          default: '',
          description:
            'Address that mail comes from, such as `portcullis@example.com`. Required with `mail.host`.',
        }),
        fromName: Type.String({
          default: 'Portcullis',
          pattern: '^[^\\p{C}<>"@,;:]{1,64}$',
          description: 'Name that mail comes from.',
        }),
        language: Type.Enum(['en', 'zh'], { default: 'en', description: 'Language of mail.' }),
        passwordPage: Type.String({
          default: '',
          description:
            'Page that links for new passwords open, with the code behind `#`; of the console `https://admin.example.com/console/new-password`. Never taken from a request. Empty: there are no links, and so neither invitations nor help for a forgotten password.',
        }),
        resetLinksPerAddressPerDay: Type.Integer({
          minimum: 1,
          maximum: 100,
          default: 5,
          description: 'Links for a forgotten password that can be asked for in a day for one address.',
        }),
        resetLinksPerNetworkPerDay: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 50,
          description: 'Links for a forgotten password that one client network can ask for in a day.',
        }),
        resetLinksPerDay: Type.Integer({
          minimum: 1,
          maximum: 10_000_000,
          default: 2000,
          description: 'Links for a forgotten password that can be asked for in a day in all.',
        }),
        retrySeconds: Type.Integer({
          minimum: 1,
          maximum: 3600,
          default: 60,
          description:
            'How long a mail waits that the server has deferred, then twice as long and so on up to an hour; after a day it is given up.',
        }),
        timeoutSeconds: Type.Integer({
          minimum: 1,
          maximum: 300,
          default: 30,
          description: 'How long the SMTP server may take for one mail.',
        }),
      },
      { additionalProperties: false },
    ),
    hash: Type.Object(
      {
        concurrency: Type.Integer({
          minimum: 0,
          maximum: 64,
          default: 0,
          description: 'Passwords that are hashed at the same time. 0: one for each core.',
        }),
        memoryKibibytes: Type.Integer({
          minimum: 64,
          maximum: 1_048_576,
          default: 19_456,
          description:
            'Memory of one argon2id hash. Outside dev at least 7168, and times `hash.passes` at least 35840 (OWASP).',
        }),
        passes: Type.Integer({
          minimum: 1,
          maximum: 10,
          default: 2,
          description: 'Passes of one argon2id hash over its memory.',
        }),
      },
      { additionalProperties: false },
    ),
    permission: Type.Object(
      {
        exclusions: Type.Array(Type.String(), {
          default: [
            'POST /api/v1/login',
            'GET /api/v1/login/methods',
            'POST /api/v1/login/begin',
            'POST /api/v1/login/enrol',
            'POST /api/v1/password/forgot',
            'POST /api/v1/password/reset',
            'POST /api/v1/logout',
            'GET /api/v1/getCaptcha',
            'GET /api/v1/captcha',
            'GET /api/v1/user/profile',
            'POST /api/v1/providers/:key/logout',
          ],
          description:
            'Endpoints that skip the permission check, each as `METHOD /path`. Only endpoints that declare themselves excludable may be listed.',
        }),
      },
      { additionalProperties: false },
    ),
    limit: Type.Object(
      {
        requestsPerSecond: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 100,
          description:
            'Requests a second that may be sent on average: with a token by one person, wherever from; without one, or with one that is none, by one client network (IPv4 address, IPv6 /64).',
        }),
        burst: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 200,
          description: 'Requests that may be sent at once.',
        }),
        captchasPerMinute: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 60,
          description:
            'Captchas a minute that one client network may fetch. A device with an earlier login has a separate limit of ten.',
        }),
        passwordsSetPerMinute: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 60,
          description:
            'Passwords a minute that one caller may set for others, also by creating users; a third of them at once.',
        }),
        connectionsPerNetwork: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 512,
          description:
            'Connections that one client network may keep open. Trusted proxies may keep any number.',
        }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof SettingsSchema>;

export interface Setting {
  /** As in the file: `auth.tokenLifetimeSeconds`. */
  readonly key: string;
  readonly section: string;
  readonly name: string;
  /** As in the environment: `AUTH_TOKEN_LIFETIME_SECONDS`. */
  readonly variable: string;
  readonly schema: TSchema & { default: unknown; description: string; secret?: true };
}

export const allSettings: readonly Setting[] = Object.entries(SettingsSchema.properties).flatMap(
  ([section, { properties }]) =>
    Object.entries(properties).map(([name, schema]) => ({
      key: `${section}.${name}`,
      section,
      name,
      variable: `${section}_${name}`.replace(/[A-Z]/g, '_$&').toUpperCase(),
      schema: schema as Setting['schema'],
    })),
);
