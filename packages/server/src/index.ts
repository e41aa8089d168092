export { type Account, type Route, route } from '@portcullis/contract';
export type { Portcullis } from './compose/portcullis.ts';
export { type Config, type GivenSettings, loadConfig } from './config.ts';
export { createPortcullis, type PortcullisOptions } from './create-portcullis.ts';
export type { CredentialVerifier, Verification } from './login/credentials/credential-verifier.ts';
export { serve } from './serve.ts';
export { StartRefusal } from './start-refusal.ts';
