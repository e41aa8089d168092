// The modules that strangers' faults are planted in, and the suites that must see them. Globs, from the root of the tree.

export interface Module {
  readonly name: string;
  readonly sources: readonly string[];
  /** Those of the same folder first; beside them run those that import the changed file. */
  readonly unit: readonly string[];
  readonly conformance: readonly string[];
  readonly attack: readonly string[];
  /** Parts of `npm run browser`, by what a file is about. The first that matches is run. */
  readonly browser?: readonly (readonly [path: RegExp, part: string])[];
}

const server = (name: string) => `packages/server/src/${name}/**/*.ts`;
const tests = (name: string) => `packages/server/test/${name}/**/*.test.ts`;
const migration = (name: string) => `packages/server/src/cluster/store/migrations/*-${name}.sql`;
const operator = (name: string) => `packages/operator/test/${name}.test.ts`;
const conformance = (...names: string[]) => names.map((name) => `test/conformance/${name}.test.ts`);
/** What deletes expired rows is run with all other background jobs. */
const jobs = 'packages/server/test/compose/background-jobs.test.ts';
const attack = (...names: string[]) => names.map((name) => `test/attack/${name}.test.ts`);

export const modules: readonly Module[] = [
  {
    name: 'providers',
    sources: [
      server('sign-in/providers'),
      migration('{providers,link-invitations,provider-*,*-provider-names}'),
    ],
    unit: [tests('sign-in/providers'), jobs, operator('cli/provider*'), operator('doctor/directory-checks')],
    conformance: conformance('providers', 'oauth', 'start-refusals', 'every-endpoint'),
    attack: attack('providers/*', 'directories/!(directories-size*)', 'login/directory-guesses'),
  },
  {
    name: 'mfa',
    sources: [server('sign-in/mfa'), migration('*factors')],
    unit: [tests('sign-in/mfa'), jobs],
    conformance: conformance('second-factor', 'passkeys', 'every-endpoint'),
    attack: attack('passkeys', 'sign-in-methods/!(sign-in-methods-races)'),
  },
  {
    name: 'service-accounts',
    sources: [server('sign-in/service-accounts'), migration('service-accounts')],
    unit: [tests('sign-in/service-accounts'), jobs, operator('cli/service-keys')],
    conformance: conformance('machines', 'every-endpoint'),
    attack: attack('people/machines'),
  },
  {
    name: 'webhooks',
    sources: [server('people/webhooks'), migration('webhooks')],
    unit: [tests('people/webhooks'), operator('doctor/stored-faults')],
    conformance: conformance('every-endpoint'),
    attack: attack('people/webhooks'),
  },
  {
    name: 'mail',
    sources: [server('people/mail'), migration('mail')],
    unit: [tests('people/mail'), jobs, operator('cli/mail'), operator('doctor/stored-faults')],
    conformance: conformance('every-endpoint', 'second-factor'),
    attack: attack('people/mail'),
  },
  {
    name: 'erasure',
    sources: [server('people/erasure'), migration('erasure')],
    unit: [tests('people/erasure'), jobs, operator('cli/user'), operator('cli/log')],
    conformance: conformance('every-endpoint'),
    attack: attack('login-log-roles'),
  },
  {
    name: 'access-requests',
    sources: [server('permissions/requests'), migration('access-requests')],
    unit: [tests('permissions/requests'), jobs],
    conformance: conformance('every-endpoint'),
    attack: attack('asking'),
  },
  {
    name: 'compose',
    sources: [server('compose')],
    unit: [tests('compose')],
    conformance: conformance('*'),
    attack: attack(
      'configuration',
      'asking',
      'people/{machines,mail,webhooks}',
      'directories/{directories-login,oidc-answers}',
    ),
  },
  {
    name: 'operator',
    sources: ['packages/operator/src/**/*.ts'],
    unit: ['packages/operator/test/**/*.test.ts'],
    conformance: conformance('start*', 'stop'),
    attack: attack('configuration'),
  },
  {
    name: 'guard',
    sources: ['packages/guard/src/**/*.ts'],
    unit: ['packages/guard/test/**/*.test.ts'],
    conformance: [],
    attack: attack('guard-faults'),
  },
  {
    name: 'console',
    sources: ['packages/console/src/**/*.{ts,vue}'],
    unit: ['packages/console/test/**/*.test.ts'],
    conformance: [],
    attack: [],
    browser: [
      [/rollback|rule-review/, 'objects'],
      [/matrix/, 'cells'],
      [/search|shell/, 'find'],
      [/requests/, 'ask'],
      [/logs|audit|chart|login-log/, 'logs'],
      [/ways|factor|second-step/, 'ways'],
      [/mails|webhooks|user-links/, 'rows'],
      [/keys|-key/, 'machines'],
      [/return|journey/, 'provider'],
      [/provider/, 'directory'],
      [/sign-in|pages\/(new-)?password/, 'sign-in'],
      [/password|refusals|remembered|use-leave|calls/, 'trouble'],
      [/./, 'objects'],
    ],
  },
];
