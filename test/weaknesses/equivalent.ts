// Changes that alter no decision and no answer, each with the reason.
import type { Equivalent } from './weakness.ts';

export const equivalents: readonly Equivalent[] = [
  {
    name: 'a late older epoch lowers the newer one',
    file: 'packages/gate/src/access/revocations.ts',
    before: 'Math.max(epoch, raisedEpochs.get(userId) ?? 0)',
    after: 'epoch',
    reason: 'Changes are applied in the order of their commits, and the epoch of a user only grows.',
  },
  {
    name: 'the router takes a path with a slash at its end for the one without',
    file: 'packages/server/src/http/create-http-app.ts',
    before: 'ignoreTrailingSlash: false,',
    after: 'ignoreTrailingSlash: true,',
    reason: 'Such a target is not canonical, and is refused before the router sees it.',
  },
  {
    name: 'an empty id of a captcha skips the captcha',
    file: 'packages/server/src/sign-in/login/log-in.ts',
    before: 'if (captchaRequired && !(await',
    after: "if (captchaRequired && uuid !== '' && !(await",
    reason: 'The schema refuses an empty id, and step 1 one that is missing.',
  },
];
