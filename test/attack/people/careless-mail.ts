// The service without what stands against attacks on mail and on links that set passwords.
import { runCarelessly } from '../run-carelessly.ts';

const passwords = 'people/own/password-link-routes.ts';
const codes = 'people/passwords/password-code-store.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: It is source text.
await runCarelessly([
  { file: passwords, from: '!(await spendCode(transaction, code.id, code.hash)) || !enabled', to: 'false' },
  { file: passwords, from: '!owner.userEnabled || !owner.roleEnabled', to: 'false' },
  { file: passwords, from: 'await checkCaptcha(body);', to: '' },
  {
    file: passwords,
    from: 'const isAsked = await insertAsked(',
    to: `if ((await store.selectFrom('users').select('id').where('mail', '=', body.mail).executeTakeFirst()) === undefined)
        throw new AppError('record_not_found');
      globalThis.poisoned = call.headers.host;
      const isAsked = await insertAsked(`,
  },
  { file: passwords, from: 'async ({ body, ip }) => {', to: 'async (call) => { const { body, ip } = call;' },
  { file: codes, from: 'and tries < ${mostTries} and expires_at > clock_timestamp()', to: '' },
  { file: codes, from: 'found?.right === true', to: 'found !== undefined' },
  { file: codes, from: 'if (rows[0]?.may !== true) return false;', to: '' },
  { file: codes, from: "and users.enabled and roles.enabled and users.password_hash like '$%'", to: '' },
  {
    file: 'people/passwords/password-links.ts',
    from: '`${linkPage}#',
    to: '`https://${globalThis.poisoned}/console/new-password#',
  },
  {
    file: 'contract/src/mail-address.ts',
    from: 'pattern: mailAddressPattern, maxLength: 254',
    to: 'maxLength: 2000',
  },
  { file: 'people/mail/smtp.ts', from: '!addressShape.test(mail.address)', to: 'false' },
  { file: 'people/mail/smtp.ts', from: "to: { name: '', address },", to: 'to: address,' },
  { file: 'people/mail/smtp.ts', from: 'envelope: { from, to: [address] },', to: '' },
  { file: 'people/mail/write-mail.ts', from: "entities[sign] ?? ''", to: 'sign' },
  {
    file: 'users/user-actions.ts',
    from: "ofOthers: true,\n    action: 'user.mail',",
    to: "ofOthers: false,\n    action: 'user.mail',",
  },
]);
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: It is source text.
