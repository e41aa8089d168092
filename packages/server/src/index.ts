// Public exports of the package for a back end that runs in the same process as the service.

export { type Account, type Route, route } from '@portcullis/contract';
export { type Config, type GivenSettings, loadConfig } from './base/settings/config.ts';
export { StartRefusal } from './base/values/start-refusal.ts';
export type { Portcullis } from './compose/portcullis.ts';
export { createPortcullis, type PortcullisOptions } from './create-portcullis.ts';
export { serve } from './serve.ts';
export type { CredentialVerifier, Verification } from './sign-in/login/credentials/credential-verifier.ts';
