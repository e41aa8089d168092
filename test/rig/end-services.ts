// For `setupFiles` of vitest: it is run for every test file, and modules only once for the files of a worker.
import { afterAll } from 'vitest';
import { stopServices } from './use-service.ts';

afterAll(stopServices);
