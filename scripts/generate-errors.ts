// Writes docs/reference/errors.md from the error table of the contract. What to do about an error stands here: it is for
// developers and operators, while the table's texts are for users.
import { type ErrorKind, endpoints, errorsOf, errorTable } from '@portcullis/contract';

const remedies: Readonly<Record<ErrorKind, string>> = {
  token_missing: 'Log in. The token goes into `Authorization: Bearer`, `?token=`, or the cookie `jwt`.',
  token_malformed:
    'Log in again. If all tokens are refused so, the service has other keys: another database, another mode, or a retired key.',
  token_expired:
    'Log in again. There is no refresh; `auth.tokenLifetimeSeconds` says how long a token lives.',
  token_revoked: 'Log in again. The session was ended, or the user, role or password has changed since.',
  permission_denied:
    'Do not open the login page: the token is good. `portcullis rules explain` and the console’s page Explain say which rule is missing.',
  exceeds_own_permissions:
    'The caller may make this call, but the change concerns calls or rows beyond the permissions of the caller: [who may change what](../decisions/0016-delegation-by-effect.md). A person who has all of them can make the change; `admin` always can.',
  rate_limited:
    'Wait for `Retry-After`. [Which limit it was, and how to raise it](../how-to/operate.md#guesses-and-floods).',
  cross_site:
    'Call from the application’s own origin, send `X-Requested-With`, or list the origin in `application.allowedOrigins`.',
  params_invalid: 'Compare the request with [its endpoint](endpoints.md).',
  password_change_required:
    'Open the page that changes the password (`PUT /api/v1/user/password`), not the login page.',
  password_weak:
    'Show the text and ask again: it names each reason that applies, and the minimum length (`password.minimumLength`, 15 unless set).',
  captcha_missing: 'Fetch a captcha first; send its `id` as `uuid`, and what it shows as `code`.',
  captcha_wrong: 'Fetch a new captcha: every captcha is spent by its first use, right or wrong.',
  credentials_wrong:
    'Ask again. Unknown, wrong and disabled get the same answer; the login log has the reason.',
  code_wrong:
    'Ask again. A code works once, within a step of 30 seconds either way; a recovery code works once.',
  passkey_wrong:
    'Begin again: a challenge works once. If it never works, compare `mfa.passkeyDomain` and `mfa.passkeyOrigins` with the address of the page; the login log and the audit log say more.',
  factor_required:
    'Ask for the second step: `details` says what completes the login. A front end that only knows the four fields shows the text: [two steps](../how-to/second-factor.md).',
  factor_required_by_role: 'Add another second factor first, or lower the required factor of the role.',
  key_wrong:
    'Sign a new assertion for a new captcha. Where that is refused too, look at the clock of the machine, `serviceAccount.audience`, and the keys of the account: `portcullis service-keys list`.',
  service_account_keys_disabled:
    'Set `serviceAccount.audience` to the address of this service, and start it again.',
  account_kind_wrong: 'Give a service account a key; a person a password or a second factor.',
  webhook_url_refused:
    'Use `https://` and a public host. For a receiver of your own network, set `webhook.allowedNetworks`; for one on the same host, `webhook.allowLoopback`.',
  passkeys_disabled: 'Set `mfa.passkeyDomain`, or use another sign-in method.',
  provider_refused:
    'Begin the login again. The login log has the attempt with its provider, and the process log says what was wrong with the answer.',
  provider_link_missing:
    'Sign in with the password and link the account, or send the invitation code of an administrator.',
  provider_login_required:
    'Sign in with the provider. An administrator can reset the password, so that the account signs in with a password of this service again.',
  provider_unknown: '`GET /api/v1/login/methods` lists the enabled providers.',
  provider_unavailable:
    'Try again shortly, or sign in with the password. `portcullis provider check` says what is wrong.',
  logout_token_wrong:
    'If the token was sent twice, nothing. Otherwise compare issuer, client and clock of the provider with its settings.',
  provider_check_failed: 'Run the check of the provider and correct the problems.',
  provider_secret_missing: 'Send the secret with the settings, run the check, and enable the provider.',
  provider_settings_wrong:
    'Correct the settings: addresses begin with `https://`, and name no user and no query.',
  password_link_wrong:
    'Request another link. A link works once: an invitation for 72 hours, other links for 30 minutes. It ends after five wrong codes, and with a change of the password or the mail address.',
  mail_disabled: 'Set `mail.host` and `mail.passwordPage`, or give a link by hand: `portcullis user invite`.',
  password_links_disabled: 'Set `mail.passwordPage` to the page that links open: [mail](../how-to/mail.md).',
  conflict:
    'Read the record again and repeat the change. Some changes are never allowed: [users](../decisions/0011-passwords.md#permission-to-change-other-people), [roles and rules](../decisions/0012-changing-rules.md).',
  plan_changed: 'Request the plan again, show it, and apply it with its digest.',
  revision_conflict:
    'Show the differences, and ask again. `details` has the current fields, and the `revision` for the repeated change: [object revisions](../decisions/0018-object-revisions.md).',
  name_unclear:
    'A username has the letters of one script, and so does every word of a display name; Latin goes with Chinese, Japanese and Korean. A role is not named like `admin`.',
  already_allowed: 'Make the call. A request that is still open can be refused with a note.',
  route_unknown: 'Compare method and path with the catalogue; a service that is not there is imported first.',
  access_request_limit: 'Withdraw an access request that is no longer needed.',
  already_decided: 'Reload the list: another user decided first, or the requester withdrew the request.',
  requester_disabled: 'Enable the user and the role, or deny the request.',
  record_not_found: 'The record is gone, or outside the caller’s data scope: both are answered alike.',
  route_not_found:
    'Check path and method. A target that is [not canonical](../how-to/gateways.md#which-targets-are-canonical) is not found either: `/` alone, a trailing slash, `//`, any `%`, characters such as `;` and `@`, a segment above 64 characters.',
  not_http: 'The client or a proxy sends something that is no HTTP/1.1 request; the connection is closed.',
  body_too_large: 'Send less. The limit of a body is 16 KiB where an endpoint declares no other.',
  content_type_wrong: 'Send `Content-Type: application/json`.',
  internal:
    'A defect of ours. The process log has it under the `X-Request-Id` of the answer; please report it.',
  unavailable:
    'Try again shortly and keep all sessions. If it lasts, Postgres is away or the instance is cut off: `portcullis doctor`.',
};

export function errorsPage(): string {
  const kinds = Object.keys(errorTable) as ErrorKind[];
  return [head, ...kinds.map(row), '', ...kinds.flatMap(section)].join('\n');
}

const head = `# Errors

Generated by \`npm run docs\`; do not edit.

A refusal is **HTTP 200** with a \`code\` other than 200 in the body, as front ends of this family expect; the table names the few
errors that have their real status. The header \`X-Auth-Reason\` tells "log in again" from "you may not press this
button". The text follows \`Accept-Language\` (English, Chinese). Gateways ask another listener, which
[answers with real statuses](../how-to/gateways.md).

| Error | \`code\` | HTTP | \`X-Auth-Reason\` |
|---|--:|--:|---|`;

function row(kind: ErrorKind): string {
  const { code, status } = errorTable[kind];
  return `| [${kind}](#${kind}) | ${code} | ${status} | ${reasonOf(kind)} |`;
}

function section(kind: ErrorKind): string[] {
  const { text } = errorTable[kind];
  const total = endpoints.length;
  const count = endpoints.filter((endpoint) => errorsOf(endpoint).includes(kind)).length;
  const where = count === total ? 'every endpoint' : `${count} of ${total} endpoints`;
  return [
    `## ${kind}`,
    '',
    `- ${text.en}`,
    `- ${text.zh}`,
    '',
    `**What to do.** ${remedies[kind]}`,
    '',
    count === 0 ? 'Answered before any endpoint is reached.' : `Answered by ${where}.`,
    '',
  ];
}

function reasonOf(kind: ErrorKind): string {
  const row = errorTable[kind];
  return 'reason' in row ? `\`${row.reason}\`` : '';
}
