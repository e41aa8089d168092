// Writes docs/reference/errors.md from the error table of the contract. What to do about an error stands here: it is for
// whoever builds or operates something, while the table's texts are for whoever uses it.
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
  beyond_reach:
    'The caller may make the call, and not for this: [who may change what](../decisions/0016-delegation-by-effect.md). Somebody who may make every call and see every row that the change concerns can; `admin` always can.',
  rate_limited:
    'Wait for `Retry-After`. [Which limit it was, and how to raise it](../how-to/operate.md#guesses-and-floods).',
  cross_site:
    'Call from the application’s own origin, send `X-Requested-With`, or list the origin in `application.origins`.',
  params_invalid: 'Compare the request with [its endpoint](endpoints.md).',
  password_due: 'Open the page that changes the password (`PUT /api/v1/user/password`), not the login page.',
  password_weak:
    'Show the text and ask again: it names each reason that applies, and the minimum length (`password.minimumLength`, 15 unless set).',
  captcha_missing: 'Fetch a captcha first; send its `id` as `uuid`, and what it shows as `code`.',
  captcha_wrong: 'Fetch a new captcha: every captcha is spent by its first use, right or wrong.',
  credentials_wrong:
    'Ask again. Unknown, wrong and disabled get the same answer; the login log has the reason.',
  code_wrong:
    'Ask again. A code is good once, within a step of 30 seconds either way; a recovery code is good once.',
  passkey_wrong:
    'Begin again: a challenge is good once. Where it never works, compare `factor.domain` and `factor.origins` with the address of the page; the login log and the audit log say more.',
  factor_required:
    'Ask for the second step: `details` says what completes the login. A front end that only knows the four fields shows the text: [two steps](../how-to/second-factor.md).',
  factor_demanded: 'Add another factor first, or lower what the role demands.',
  key_wrong:
    'Sign a new assertion for a new captcha. Where that is refused too, look at the clock of the machine, `machine.audience`, and the keys of the account: `portcullis service-keys list`.',
  keys_off: 'Set `machine.audience` to the address of this service, and start it again.',
  service_account: 'Give a service account a key; a person a password or a second factor.',
  webhook_url_refused:
    'Use `https://` and a public host. For a receiver of your own network, set `webhook.networks`; for one on the same host, `webhook.loopback`.',
  passkeys_off: 'Set `factor.domain`, or use another way to log in.',
  provider_refused:
    'Begin the login again. The login log has the attempt with its provider, and the process log says what was wrong with the answer.',
  link_missing:
    'Sign in with the password and link the account, or send the invitation of an administrator along.',
  provider_decides:
    'Sign in through the provider. An administrator resets the password where the account shall sign in here again.',
  provider_unknown: 'Ask `login/methods` which providers there are.',
  provider_away:
    'Try again shortly, or sign in with the password. `portcullis provider check` says what is wrong.',
  logout_token_wrong:
    'Nothing, where a token was sent twice. Else compare issuer, client and clock of the provider with its settings here.',
  provider_check_failed: 'Run the check of the provider and correct what it finds.',
  provider_secret_missing: 'Send the secret with the settings, run the check, and enable the provider.',
  provider_settings_wrong:
    'Correct the settings: addresses begin with `https://`, and name no user and no query.',
  link_wrong:
    'Ask for another link. One is good once: invitations for 72 hours, others for 30 minutes, and none after five wrong codes or a change of the password or the address.',
  mail_off: 'Set `mail.host` and `mail.linkPage`, or give a link by hand: `portcullis user invite`.',
  links_off: 'Set `mail.linkPage` to the page that links open: [mail](../how-to/mail.md).',
  conflict:
    'Read the record again and repeat the change. Some changes nobody may make: [users](../decisions/0011-passwords.md#permission-to-change-other-people), [roles and rules](../decisions/0012-changing-rules.md).',
  plan_changed: 'Ask for the plan once more, show it, and apply it with its digest.',
  changed_meanwhile:
    'Show what is different now, and ask again. `details` has the fields as they are and the `revision` to repeat the change on: [object revisions](../decisions/0018-object-revisions.md).',
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
    'Try again shortly and log nobody out. If it lasts, Postgres is away or the instance is cut off: `portcullis doctor`.',
};

export function errorsPage(): string {
  const kinds = Object.keys(errorTable) as ErrorKind[];
  return [head, ...kinds.map(row), '', ...kinds.flatMap(section)].join('\n');
}

const head = `# Errors

Generated by \`npm run docs\`; do not edit.

A refusal is **HTTP 200** with a \`code\` other than 200 in the body, as front ends of this family expect; only a fault of the service or
an address that does not exist has its real status. The header \`X-Auth-Reason\` tells "log in again" from "you may not press this
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
