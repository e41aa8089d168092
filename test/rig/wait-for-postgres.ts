// For `setupFiles` of vitest.
import { usePatientPools } from './patient-pool.ts';

usePatientPools();
