// Every endpoint of the service itself, in the order of the documents.
import type { Endpoint } from '../endpoint.ts';
import { accessRequestEndpoints } from './access-requests.ts';
import { activityEndpoints } from './activity.ts';
import { auditEndpoints } from './audit.ts';
import { catalogEndpoints } from './catalog.ts';
import { departmentEndpoints } from './departments.ts';
import { erasureEndpoints } from './erasure.ts';
import { instanceEndpoints } from './instances.ts';
import { keyEndpoints } from './keys.ts';
import { loginLogEndpoints } from './login-logs.ts';
import { mailEndpoints } from './mail.ts';
import { openApiEndpoints } from './openapi.ts';
import { ownEndpoints } from './own.ts';
import { callerEndpoints } from './permission/callers.ts';
import { exclusionEndpoints } from './permission/exclusions.ts';
import { explainEndpoints } from './permission/explain.ts';
import { matrixEndpoints } from './permission/matrix.ts';
import { roleEndpoints } from './roles.ts';
import { ruleEndpoints } from './rules.ts';
import { sessionEndpoints } from './sessions.ts';
import { mappingEndpoints } from './sign-in/group-mappings.ts';
import { loginEndpoints } from './sign-in/login.ts';
import { linkEndpoints } from './sign-in/provider-links.ts';
import { providerEndpoints } from './sign-in/providers.ts';
import { factorEndpoints } from './sign-in/second-factors.ts';
import { serviceAccountEndpoints } from './sign-in/service-accounts.ts';
import { userEndpoints } from './users.ts';
import { webhookEndpoints } from './webhooks.ts';

export const endpoints: readonly Endpoint[] = [
  ...loginEndpoints,
  ...ownEndpoints,
  ...factorEndpoints,
  ...linkEndpoints,
  ...providerEndpoints,
  ...mappingEndpoints,
  ...sessionEndpoints,
  ...keyEndpoints,
  ...userEndpoints,
  ...serviceAccountEndpoints,
  ...roleEndpoints,
  ...departmentEndpoints,
  ...ruleEndpoints,
  ...accessRequestEndpoints,
  ...mailEndpoints,
  ...instanceEndpoints,
  ...loginLogEndpoints,
  ...catalogEndpoints,
  ...auditEndpoints,
  ...activityEndpoints,
  ...erasureEndpoints,
  ...explainEndpoints,
  ...callerEndpoints,
  ...matrixEndpoints,
  ...exclusionEndpoints,
  ...webhookEndpoints,
  ...openApiEndpoints,
];
