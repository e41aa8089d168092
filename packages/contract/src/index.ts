// Public exports of the package: endpoints, schemas, errors and types that the service, its guards and its clients share.

export { displayNamePattern, hasWordsOfOneScript, isOneScript } from './display-name.ts';
export {
  type Access,
  accesses,
  defineEndpoint,
  type Endpoint,
  type EndpointExample,
  type HttpMethod,
  httpMethods,
  type StreamEndpoint,
} from './endpoint.ts';
export * from './endpoints/access-requests.ts';
export * from './endpoints/activity.ts';
export { endpoints } from './endpoints/all.ts';
export * from './endpoints/audit.ts';
export * from './endpoints/catalog.ts';
export * from './endpoints/departments.ts';
export * from './endpoints/erasure.ts';
export * from './endpoints/instances.ts';
export * from './endpoints/keys.ts';
export * from './endpoints/login-logs.ts';
export * from './endpoints/mail.ts';
export * from './endpoints/openapi.ts';
export * from './endpoints/own.ts';
export * from './endpoints/permission/callers.ts';
export * from './endpoints/permission/exclusions.ts';
export * from './endpoints/permission/explain.ts';
export * from './endpoints/permission/matrix.ts';
export * from './endpoints/roles.ts';
export * from './endpoints/rules.ts';
export * from './endpoints/sessions.ts';
export * from './endpoints/sign-in/group-mappings.ts';
export * from './endpoints/sign-in/login.ts';
export * from './endpoints/sign-in/provider-links.ts';
export * from './endpoints/sign-in/providers.ts';
export * from './endpoints/sign-in/second-factors.ts';
export * from './endpoints/sign-in/service-accounts.ts';
export * from './endpoints/users.ts';
export * from './endpoints/webhooks.ts';
export { AppError } from './errors/app-error.ts';
export {
  authReasonHeader,
  codeOf,
  type ErrorAnswer,
  errorAnswer,
  jsonContentType,
  type PermissionDeniedCode,
} from './errors/error-answer.ts';
export { authReasons, type ErrorKind, errorTable } from './errors/error-table.ts';
export { errorsOf } from './errors/errors-of.ts';
export { requestExampleOf } from './example.ts';
export {
  type Factor,
  FactorDetails,
  type FactorKind,
  factorKinds,
  factors,
  type LoginMethod,
  loginMethods,
} from './factor.ts';
export type { Answer, Call, Confirmed, Handler, Pieces, Reply, Unchecked } from './handler.ts';
export {
  type LoginAttempt,
  type LoginOutcome,
  type LoginReason,
  loginOutcomes,
  loginReasons,
} from './login-log.ts';
export { mailAddressPattern } from './mail-address.ts';
export { type Language, languages, negotiateLanguage, successMessage, type Text } from './messages.ts';
export {
  type OAuthPreset,
  type OAuthPresetName,
  oauthPresetNames,
  oauthPresets,
} from './oauth/oauth-presets.ts';
export { type OAuthClientAuth, OAuthSettings } from './oauth/oauth-settings.ts';
export { createOpenApi, type OpenApiDocument, type OpenApiOperation } from './openapi.ts';
export { defaultPageLimit, pageReply } from './page.ts';
export {
  FactorName,
  NewPasskey,
  PasskeyAssertion,
  PasskeyCreation,
  PasskeyRegistration,
  PasskeyRequest,
} from './passkey.ts';
export {
  LdapSettings,
  OidcSettings,
  ProviderKey,
  type ProviderKindName,
  ProviderSettings,
  type ProvisioningMode,
  providerKinds,
  provisioningModes,
  type RoleSource,
  roleSources,
} from './provider.ts';
export { dataReply, ErrorReply, reply } from './reply.ts';
export { ChangedDetails } from './revision.ts';
export { type DataScope, dataScopeOf, dataScopes, isRoleKey, roleKeyPattern } from './role.ts';
export { type Route, route, type StatefulHandler } from './route.ts';
export { routeName } from './route-name.ts';
export { type Account, Caller, jtiPattern, maxTokenLifetimeSeconds, TokenClaims } from './token.ts';
