// Every endpoint of the service itself, in the order in which the documents list them.
import type { Endpoint } from '../endpoint.ts';
import { accessRequestEndpoints } from './access-requests.ts';
import { activityEndpoints } from './activity.ts';
import { auditEndpoints } from './audit.ts';
import { catalogEndpoints } from './catalog.ts';
import { departmentEndpoints } from './departments.ts';
import { factorEndpoints } from './factors.ts';
import { instanceEndpoints } from './instances.ts';
import { keyEndpoints } from './keys.ts';
import { loginEndpoints } from './login.ts';
import { loginLogEndpoints } from './login-logs.ts';
import { openApiEndpoints } from './openapi.ts';
import { ownEndpoints } from './own.ts';
import { callerEndpoints } from './permission/callers.ts';
import { exclusionEndpoints } from './permission/exclusions.ts';
import { explainEndpoints } from './permission/explain.ts';
import { matrixEndpoints } from './permission/matrix.ts';
import { roleEndpoints } from './roles.ts';
import { ruleEndpoints } from './rules.ts';
import { sessionEndpoints } from './sessions.ts';
import { userEndpoints } from './users.ts';

export const endpoints: readonly Endpoint[] = [
  ...loginEndpoints,
  ...ownEndpoints,
  ...factorEndpoints,
  ...sessionEndpoints,
  ...keyEndpoints,
  ...userEndpoints,
  ...roleEndpoints,
  ...departmentEndpoints,
  ...ruleEndpoints,
  ...accessRequestEndpoints,
  ...instanceEndpoints,
  ...loginLogEndpoints,
  ...catalogEndpoints,
  ...auditEndpoints,
  ...activityEndpoints,
  ...explainEndpoints,
  ...callerEndpoints,
  ...matrixEndpoints,
  ...exclusionEndpoints,
  ...openApiEndpoints,
];
