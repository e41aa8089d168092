export type { Account } from '@portcullis/contract';
export { createPortcullis, type Portcullis, type PortcullisOptions } from './app.ts';
export { type Config, loadConfig } from './config.ts';
export { type Route, route } from './http/mount.ts';
export type { CredentialVerifier, Verification } from './login/credentials/credential-verifier.ts';
export { serve } from './serve.ts';
