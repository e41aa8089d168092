// Doctor checks on mail: the SMTP server answers, supports TLS and accepts the password. They send no mail.
import { createSmtp } from '@portcullis/server/people/mail/smtp.ts';
import { type Check, type CheckInput, type Finding, warning, well, wrong } from './check.ts';
import { countDeadMails } from './doctor-store.ts';

export const mailChecks: readonly Check[] = [
  { id: 'mail', group: 'access', title: 'mail', needs: ['migrations'], run: checkMail },
];

/** Checks the server first: if it does not answer, the queue waits for it. */
async function checkMail(input: CheckInput): Promise<Finding> {
  const server = await checkServer(input);
  return server.status === 'well' ? ((await checkQueue(input)) ?? server) : server;
}

/** Shorter than the timeout of a check. */
const mostSeconds = 6;

async function checkServer({ config: { mail } }: CheckInput): Promise<Finding> {
  if (mail.host === '') return well('off: `mail.host` is not set');
  const timeoutSeconds = Math.min(mail.timeoutSeconds, mostSeconds);
  try {
    await createSmtp({ ...mail, timeoutSeconds }).verify();
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    return wrong(
      `${mail.host}:${mail.port}: ${message.replace(/\s+/g, ' ').slice(0, 120)}`,
      remedies[code] ?? otherRemedy,
    );
  }
  return well(`${mail.host}:${mail.port} answers${mail.username === '' ? '' : ', and takes the password'}`);
}

const otherRemedy =
  'Compare `mail.host` and `mail.port` with what your mail provider says, and look whether a firewall is between.';
const remedies: Readonly<Record<string, string>> = {
  EAUTH: 'Check `mail.username` and `mail.password`.',
  ETLS: 'The server has no STARTTLS on this port, or a certificate of an unknown authority: try `mail.tls: implicit` on 465, or name its authority in `mail.caFile`.',
  ESOCKET:
    'No server listens there, or it uses the other kind of TLS: `mail.tls: implicit` belongs to 465, `starttls` to 587. Set a private authority in `mail.caFile`.',
};

async function checkQueue({ store, config }: CheckInput): Promise<Finding | undefined> {
  const { dead, late } = await countDeadMails(store);
  if (dead > 0)
    return warning(
      `${dead} given up in the last week`,
      'See why with `portcullis mail list --state dead`, and try them again with `portcullis mail retry`.',
    );
  if (late > 0 && config.mail.host !== '')
    return warning(
      `${late} wait for more than an hour`,
      'See why with `portcullis mail list --state queued`.',
    );
  return undefined;
}
