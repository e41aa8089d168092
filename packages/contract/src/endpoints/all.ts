// Every endpoint of the service itself.
import type { Endpoint } from '../endpoint.ts';
import { captchaEndpoint, goAdminCaptchaEndpoint } from './captcha.ts';
import { getInfoEndpoint } from './get-info.ts';
import { loginEndpoint } from './login.ts';
import { logoutEndpoint } from './logout.ts';
import { profileEndpoint } from './profile.ts';

export const endpoints: readonly Endpoint[] = [
  captchaEndpoint,
  goAdminCaptchaEndpoint,
  loginEndpoint,
  logoutEndpoint,
  profileEndpoint,
  getInfoEndpoint,
];
