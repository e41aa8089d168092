// The frameworks that a new project can use, and the dependencies that each needs besides Portcullis.

interface Framework {
  readonly title: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  /** Node runs TypeScript directly; only decorators must be compiled. */
  readonly scripts: { readonly build?: string; readonly service: string };
}

const scripts = { service: 'node src/main.ts' };
const types = { '@types/node': '^24.19.2' };

export const frameworks = {
  express: {
    title: 'Express',
    dependencies: { express: '^5.3.0' },
    devDependencies: { '@types/express': '^5.0.6', ...types },
    scripts,
  },
  fastify: { title: 'Fastify', dependencies: { fastify: '^5.12.8' }, devDependencies: types, scripts },
  hono: {
    title: 'Hono',
    dependencies: { '@hono/node-server': '^2.1.8', hono: '^4.13.18' },
    devDependencies: types,
    scripts,
  },
  nest: {
    title: 'NestJS',
    dependencies: {
      '@nestjs/common': '^12.5.0',
      '@nestjs/core': '^12.5.0',
      '@nestjs/platform-express': '^12.5.0',
      express: '^5.3.0',
      'reflect-metadata': '^0.2.2',
      rxjs: '^7.8.2',
    },
    devDependencies: { '@types/express': '^5.0.6', ...types, typescript: '^7.0.2' },
    scripts: { build: 'tsc', service: 'node dist/main.js' },
  },
} as const satisfies Readonly<Record<string, Framework>>;

export type FrameworkName = keyof typeof frameworks;

export const frameworkNames = Object.keys(frameworks) as FrameworkName[];

/** The dependencies of the front end. */
export const webDependencies = { vite: '^8.3.8' } as const;
