import { defineConfig } from 'vitest/config';
import { ClosingReporter } from './test/rig/closing-reporter.ts';

/** For test/rig/start-service.ts: the service waits for its store as long as it takes. */
const env = { PORTCULLIS_TEST_PATIENCE: 'true' };

// `isolate: false`: no module keeps anything, so that files can share those of their worker. Most of the time was loading
// them anew.
export default defineConfig({
  test: {
    reporters: ['default', new ClosingReporter()],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'test/repository/**/*.test.ts'],
          isolate: false,
          setupFiles: ['test/rig/wait-for-postgres.ts'],
          env,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 120_000 } },
        },
      },
      {
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          isolate: false,
          setupFiles: ['test/rig/end-services.ts'],
          env,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'attack',
          include: ['test/attack/**/*.test.ts'],
          isolate: false,
          setupFiles: ['test/rig/end-services.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'examples',
          include: ['test/examples/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
