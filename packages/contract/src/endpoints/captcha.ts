// GET /api/v1/getCaptcha, also under the path that go-admin front ends call.
import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { reply } from '../reply.ts';

const captcha = {
  method: 'GET',
  access: 'public',
  excludable: true,
  title: 'Fetch a captcha',
  reply: reply({
    id: Type.String({ description: 'Send it back as `uuid` in login.' }),
    data: Type.String({ description: 'The picture, as a data URL.' }),
    msg: Type.String(),
  }),
} as const;

export const captchaEndpoint = defineEndpoint({ ...captcha, path: '/api/v1/getCaptcha' });
export const goAdminCaptchaEndpoint = defineEndpoint({ ...captcha, path: '/api/v1/captcha' });
