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
            'Exactly `dev` skips the captcha and issues tokens that are valid for roughly 100 years. Any other value behaves as `prod`.',
        }),
        host: Type.String({
          default: '',
          description: 'Address that the API listens on. Empty: `127.0.0.1` in dev, `0.0.0.0` otherwise.',
        }),
        port: port(8000, 'Port of the API.'),
        trustedProxies: Type.Array(Type.String(), {
          default: [],
          description:
            'Proxies whose `X-Forwarded-For` header the service trusts, each as an address or CIDR range. Empty: the client address is the peer address of the connection.',
        }),
        allowedOrigins: Type.Array(Type.String(), {
          default: [],
          description:
            'Origins of front ends on other sites that are allowed to call the API (CORS), each exactly as a browser sends it (`https://admin.example.com`). Empty: CORS is off.',
        }),
        console: Type.Boolean({
          default: true,
          description: 'Whether the service serves the console under `/console/`.',
        }),
        compatibility: Type.Enum(['none', 'go-admin'], {
          default: 'none',
          description:
            '`go-admin` lets the unmodified front end of go-admin use the service: the service adds endpoints, and answers code 403 instead of 401 in the body where a role lacks a permission. `none`: the service follows the specification.',
        }),
        drainSeconds: Type.Integer({
          minimum: 0,
          maximum: 300,
          default: 5,
          description:
            'How many seconds the service continues to answer after SIGTERM while it reports that it is not ready, so that load balancers stop sending requests.',
        }),
      },
      { additionalProperties: false },
    ),
    ops: Type.Object(
      {
        host: Type.String({
          default: '127.0.0.1',
          description: 'Address of the listener for health checks and metrics.',
        }),
        port: port(8001, 'Port of the listener for health checks and metrics.'),
      },
      { additionalProperties: false },
    ),
    decision: Type.Object(
      {
        host: Type.String({
          default: '127.0.0.1',
          description: 'Address of the decision listener, which answers gateways and services.',
        }),
        port: port(8002, 'Port of the decision listener.'),
        secret: secret(
          'Secret that gateways and services send to the decision listener, at least 32 characters. Create it with `openssl rand -hex 32`. Empty: the decision listener is off.',
        ),
        previousSecret: secret(
          'Previous secret of the decision listener. It is also accepted, so that you can change the secret without an outage.',
        ),
      },
      { additionalProperties: false },
    ),
    logger: Type.Object(
      {
        enableddb: Type.Boolean({
          default: true,
          description:
            'Whether the service writes login attempts to the login log. Off: the service records no attempt.',
        }),
        level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
          default: 'info',
          description: 'Lowest level that the process log includes.',
        }),
        spoolFolder: Type.String({
          default: 'portcullis-spool',
          minLength: 1,
          description:
            'Folder of the login log spool, which keeps each attempt until it is in the database. The folder also keeps the newest access revision that this host has seen: the service refuses to start with an older database. Use a local disk that outlives the process. Several instances on one host can share the folder.',
        }),
        spoolMegabytes: Type.Integer({
          minimum: 8,
          maximum: 1_048_576,
          default: 1024,
          description:
            'Maximum size of the login log spool of an instance while the database accepts no writes: about 2,000 attempts per megabyte. One eighth is reserved for successful logins.',
        }),
        geoipFile: Type.String({
          default: '',
          description:
            'GeoIP database of countries in the MaxMind format (`.mmdb`). Empty: the login log has no locations.',
        }),
        logFailedLogins: Type.Boolean({
          default: false,
          description:
            'Whether each failed login attempt also writes a line to the process log, for fail2ban (`deploy/fail2ban`).',
        }),
        retentionMonths: Type.Integer({
          minimum: 0,
          maximum: 1200,
          default: 0,
          description:
            'Full months of the login log that `portcullis log maintain` keeps besides the current month. 0: all months.',
        }),
        auditRetentionMonths: Type.Integer({
          minimum: 0,
          maximum: 1200,
          default: 0,
          description:
            'Full months of the audit log that `portcullis log maintain` keeps besides the current month. 0: all months.',
        }),
        anchorFolder: Type.String({
          default: '',
          description:
            'Folder for the signed heads of the login log and the audit log, which `portcullis log verify --anchor` reads. Use a disk that database administrators cannot write to. Empty: no export to a folder.',
        }),
        anchorUrl: secret(
          'URL that receives the signed heads of the logs with POST, over HTTPS (in dev also `http://` on this host). The service follows no redirects. Empty: no export to a URL.',
        ),
        anchorIntervalMinutes: Type.Integer({
          minimum: 1,
          maximum: 1440,
          default: 10,
          description:
            'Interval in minutes at which the service exports the signed heads, if a log has grown.',
        }),
      },
      { additionalProperties: false },
    ),
    database: Type.Object(
      {
        url: Type.String({
          default: 'postgres://postgres@127.0.0.1:5432/portcullis',
          secret: true,
          description: 'URL of Postgres, as `postgres://user@host:5432/name`.',
        }),
        poolSize: Type.Integer({
          minimum: 2,
          maximum: 100,
          default: 10,
          description:
            'Maximum number of connections that an instance keeps for requests. An instance uses one more connection for its lease, and two for webhooks.',
        }),
        durability: Type.Enum(['standby', 'storage'], {
          default: 'standby',
          description:
            'What keeps acknowledged changes if the primary is lost: `standby`, a synchronous standby of Postgres, or `storage`, replicated storage below Postgres. With `standby`, the service warns outside dev if no synchronous standby is connected.',
        }),
        allowPlaintext: Type.Boolean({
          default: false,
          description:
            'Whether the service connects without TLS to Postgres on another host. Safer: add `?sslmode=verify-full` to `database.url`.',
        }),
      },
      { additionalProperties: false },
    ),
    auth: Type.Object(
      {
        masterKey: secret(
          'Master key, 32 random bytes as hex or base64. It encrypts the signing keys. Create it with `openssl rand -hex 32`. Required outside dev.',
        ),
        previousMasterKey: secret(
          'Previous master key. Set it while you change the master key: it decrypts signing keys that the previous key encrypted.',
        ),
        tokenLifetimeSeconds: Type.Integer({
          minimum: 300,
          maximum: 86_400,
          default: 3600,
          description: 'How many seconds a token is valid outside dev.',
        }),
        cookie: Type.Boolean({ default: true, description: 'Whether a login also sets the cookie `jwt`.' }),
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
            'How many seconds an instance continues to allow requests without contact to Postgres. A revocation waits for such an instance for at most the same time.',
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
            'Failed logins of an account from one network before the next attempt has to wait: 5 seconds, then 10, 20 and so on up to 15 minutes.',
        }),
        networkFailuresPerMinute: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 20,
          description:
            'Failed logins per minute from one network, over all accounts, before further attempts have to wait. Accounts that have logged in on a device before have a separate limit on that device.',
        }),
        accountFailures: Type.Integer({
          minimum: 1,
          maximum: 100,
          default: 100,
          description:
            'Consecutive failed logins of an account, from any network, after which the account can log in only from networks where it has logged in before.',
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
            'Minimum length of a new password (NIST SP 800-63B requires 15 where the password is the only factor). Existing passwords stay valid.',
        }),
      },
      { additionalProperties: false },
    ),
    mfa: Type.Object(
      {
        totpIssuer: Type.String({
          default: 'Portcullis',
          pattern: '^[^:]{1,64}$',
          description: 'Name of this service in authenticator apps.',
        }),
        passkeyDomain: Type.String({
          default: '',
          description:
            'Domain of the passkeys (WebAuthn RP ID), such as `example.com` for front ends on this domain and its subdomains. A passkey never works on another domain. Empty: passkeys are off, and users whose role requires a passkey cannot log in.',
        }),
        passkeyOrigins: Type.Array(Type.String(), {
          default: [],
          description:
            'Origins of the pages that use passkeys, each exactly as a browser sends it: `https://` on the passkey domain or a subdomain, in dev also `http://localhost`. Empty: `https://` and the passkey domain.',
        }),
      },
      { additionalProperties: false },
    ),
    provider: Type.Object(
      {
        allowedNetworks: Type.Array(Type.String(), {
          default: [],
          description:
            'Private networks where identity providers are allowed, each as an address or CIDR range. Empty: the service connects only to providers with public addresses.',
        }),
        caFile: Type.String({
          default: '',
          description:
            'PEM file with CA certificates that the service trusts for identity providers, in addition to those of Node.',
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
            'Audience (`aud`) that assertions of service accounts must contain exactly. Use the address of this service, such as `https://admin.example.com`, and a different value for each other service. Empty: keys are off, and no service account can log in.',
        }),
        tokenLifetimeSeconds: Type.Integer({
          minimum: 300,
          maximum: 900,
          default: 600,
          description:
            'How many seconds a token of a service account is valid. The service account then logs in again.',
        }),
      },
      { additionalProperties: false },
    ),
    webhook: Type.Object(
      {
        allowedNetworks: Type.Array(Type.String(), {
          default: [],
          description:
            'Private networks that webhooks can send events to, each as an address or CIDR range. Empty: public addresses only.',
        }),
        allowLoopback: Type.Boolean({
          default: false,
          description:
            'Whether webhooks can send events to programs on this host, also over `http://`, such as an adapter beside each instance.',
        }),
        maxAttempts: Type.Integer({
          minimum: 1,
          maximum: 20,
          default: 12,
          description:
            'Delivery attempts before an event becomes a dead letter. The retries follow after 1 second, then 5, 30 and so on up to 8 hours; 12 attempts take about a day.',
        }),
      },
      { additionalProperties: false },
    ),
    mail: Type.Object(
      {
        host: Type.String({
          default: '',
          description: 'Host of the SMTP server. Empty: the service sends no mail.',
        }),
        port: port(587, 'Port of the SMTP server: 587 for STARTTLS, 465 for implicit TLS.'),
        tls: Type.Enum(['starttls', 'implicit'], {
          default: 'starttls',
          description:
            '`starttls`: the connection begins in plain text and must switch to TLS. `implicit`: the connection begins with TLS. Both verify the host name.',
        }),
        allowPlaintext: Type.Boolean({
          default: false,
          description:
            'Whether the service sends mail without TLS, for an SMTP server on this host or in a private network. Password links are then readable on the network.',
        }),
        caFile: Type.String({
          default: '',
          description:
            'PEM file with CA certificates that the service trusts for the SMTP server. Empty: those of Node.',
        }),
        username: Type.String({
          default: '',
          description: 'Username at the SMTP server. Empty: the service does not authenticate.',
        }),
        password: secret('Password at the SMTP server.'),
        from: Type.String({
          default: '',
          description: 'Sender address of mail, such as `portcullis@example.com`. Required with `mail.host`.',
        }),
        fromName: Type.String({
          default: 'Portcullis',
          pattern: '^[^\\p{C}<>"@,;:]{1,64}$',
          description: 'Sender name of mail.',
        }),
        language: Type.Enum(['en', 'zh'], { default: 'en', description: 'Language of mail.' }),
        passwordPage: Type.String({
          default: '',
          description:
            'URL of the page where users set a password. Password links open this page with the code after `#`; for the console, `https://admin.example.com/console/new-password`. The service never takes it from a request. Empty: the service creates no password links, so invitations and password resets by mail are off.',
        }),
        resetLinksPerAddressPerDay: Type.Integer({
          minimum: 1,
          maximum: 100,
          default: 5,
          description: 'Maximum number of password reset links per mail address and day.',
        }),
        resetLinksPerNetworkPerDay: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 50,
          description: 'Maximum number of password reset links per client network and day.',
        }),
        resetLinksPerDay: Type.Integer({
          minimum: 1,
          maximum: 10_000_000,
          default: 2000,
          description: 'Maximum number of password reset links per day in total.',
        }),
        retrySeconds: Type.Integer({
          minimum: 1,
          maximum: 3600,
          default: 60,
          description:
            'Seconds before the first retry of a mail that the SMTP server deferred. The wait doubles with each retry, up to an hour. After a day the service gives the mail up.',
        }),
        timeoutSeconds: Type.Integer({
          minimum: 1,
          maximum: 300,
          default: 30,
          description: 'Timeout of the SMTP server for one mail, in seconds.',
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
          description: 'Number of passwords that an instance hashes at the same time. 0: one per core.',
        }),
        memoryKibibytes: Type.Integer({
          minimum: 64,
          maximum: 1_048_576,
          default: 19_456,
          description:
            'Memory of one argon2id hash. Outside dev at least 7168, and the product with `hash.passes` at least 35840 (OWASP).',
        }),
        passes: Type.Integer({
          minimum: 1,
          maximum: 10,
          default: 2,
          description: 'Number of passes of one argon2id hash over its memory.',
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
            'Endpoints that skip the permission check, each as `METHOD /path`. Only endpoints that are declared excludable are accepted.',
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
            'Average number of requests per second: per user with a valid token, from any network; otherwise per client network (IPv4 address, IPv6 /64).',
        }),
        burst: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 200,
          description: 'Number of requests that a user or client network can send at once.',
        }),
        captchasPerMinute: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 60,
          description:
            'Number of captchas that a client network can fetch per minute. A device with an earlier login has a separate limit of ten.',
        }),
        passwordsSetPerMinute: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 60,
          description:
            'Number of passwords that a caller can set for other users per minute, including new users; a third of them at once.',
        }),
        connectionsPerNetwork: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 512,
          description:
            'Number of connections that a client network can keep open. Trusted proxies have no limit.',
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
