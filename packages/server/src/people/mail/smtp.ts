// SMTP client: sends mails one at a time, each on a separate connection. It reports whether a failure is temporary or permanent,
// and the answer of the server without mail addresses.
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { mailAddressPattern } from '@portcullis/contract';
import type { WrittenMail } from './write-mail.ts';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'implicit';
  readonly allowPlaintext: boolean;
  readonly caFile: string;
  readonly username: string;
  readonly password: string;
  readonly from: string;
  readonly fromName: string;
  readonly timeoutSeconds: number;
}

export interface OutgoingMail extends WrittenMail {
  readonly id: string;
  readonly address: string;
  readonly at: Date;
}

export type Delivery =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'deferred' | 'refused'; readonly reason: string };

export interface Smtp {
  /** Never rejects. */
  send(mail: OutgoingMail): Promise<Delivery>;
  /** Aborts the mail that is being sent; it counts as deferred. */
  interrupt(): void;
  /** Rejects if the server is unreachable, has no TLS or refuses the password. */
  verify(): Promise<void>;
}

const addressShape = new RegExp(mailAddressPattern);
const longestReason = 300;

export function createSmtp(options: SmtpOptions): Smtp {
  const { host, port, tls, allowPlaintext, caFile, username, password, from, fromName } = options;
  const milliseconds = options.timeoutSeconds * 1000;
  // Loads nodemailer with the first connection, so that a start without mail does not wait for it.
  const createConnection = async (socket: Socket) =>
    (await import('nodemailer')).createTransport({
      socket,
      host,
      port,
      secure: tls === 'implicit' && !allowPlaintext,
      requireTLS: !allowPlaintext,
      ignoreTLS: allowPlaintext,
      tls: { minVersion: 'TLSv1.2', ...(caFile === '' ? {} : { ca: readFileSync(caFile) }) },
      ...(username === '' ? {} : { auth: { user: username, pass: password } }),
      dnsTimeout: milliseconds,
      connectionTimeout: milliseconds,
      greetingTimeout: milliseconds,
      socketTimeout: milliseconds,
      disableFileAccess: true,
      disableUrlAccess: true,
    });

  let sending: Socket | undefined;

  async function deliver({ id, address, at, subject, text, html }: OutgoingMail): Promise<void> {
    const socket = new Socket();
    sending = socket;
    const transport = await createConnection(socket);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(Object.assign(new Error('The server took too long.'), { code: 'ETIMEDOUT' })),
      milliseconds,
    );
    try {
      const sent = transport.sendMail({
        from: { name: fromName, address: from },
        // An object, because nodemailer splits a string at commas.
        to: { name: '', address },
        envelope: { from, to: [address] },
        messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
        date: at,
        subject,
        text,
        html,
        // RFC 3834: prevents automatic replies, such as absence notices.
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      sent.catch(() => {});
      await Promise.race([sent, late.promise]);
    } finally {
      clearTimeout(timer);
      // After a timeout the mail must not be delivered any more.
      socket.destroy();
      sending = undefined;
    }
  }

  return {
    async send(mail) {
      if (!addressShape.test(mail.address)) return { outcome: 'refused', reason: 'The address is none.' };
      try {
        await deliver(mail);
        return { outcome: 'accepted' };
      } catch (error) {
        return deliveryOf(error);
      }
    },
    interrupt: () => void sending?.destroy(new Error('The instance stops.')),
    async verify() {
      const socket = new Socket();
      try {
        await (await createConnection(socket)).verify();
      } finally {
        socket.destroy();
      }
    },
  };
}

/** Only a refusal of the mail itself is permanent. A wrong password of ours, for example, is a temporary failure. */
function deliveryOf(error: unknown): Delivery {
  const {
    code,
    responseCode = 0,
    response,
    message = '',
  } = error as {
    code?: string;
    responseCode?: number;
    response?: string;
    message?: string;
  };
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const reason = describe(code, response ?? message);
  return { outcome: isOfMail && responseCode >= 500 ? 'refused' : 'deferred', reason };
}

function describe(code: string | undefined, text: string): string {
  const clean = text
    .replace(/[^\s<>"']+@[^\s<>"']+/g, '[address]')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return (code === undefined ? clean : `${code}: ${clean}`).slice(0, longestReason);
}
