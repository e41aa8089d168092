// A real SMTP server (npm smtp-server) that keeps what it is given, and can defer, refuse and hang as such servers do.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  /** Of the envelope. */
  readonly to: readonly string[];
  readonly raw: string;
  readonly headers: string;
  readonly messageId: string;
  /** Both parts, decoded. */
  readonly text: string;
  readonly html: string;
}

/** What becomes of a mail to this address. */
export type Behaviour = 'accept' | 'defer' | 'refuse' | 'refuse-content' | 'hang';

export interface MailboxOptions {
  readonly port?: number;
  readonly behave?: (address: string) => Behaviour;
  /** PEM files; without them there is no TLS. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly implicit?: boolean };
  readonly password?: string;
  /** Whether it takes a moment between having a mail and saying so. */
  readonly slow?: boolean;
}

export interface Mailbox {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Resolves with so many mails to the address. */
  waitFor(address: string, count?: number): Promise<ReceivedMail[]>;
  of(address: string): ReceivedMail[];
  stop(): Promise<void>;
}

const patienceMilliseconds = 60_000;

export async function startMailbox({
  port = 0,
  behave = () => 'accept',
  tls,
  password,
  slow = false,
}: MailboxOptions = {}): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: password === undefined,
    disabledCommands: tls === undefined ? ['STARTTLS'] : [],
    allowInsecureAuth: tls === undefined,
    disableReverseLookup: true,
    logger: false,
    ...(tls && {
      key: readFileSync(tls.key),
      cert: readFileSync(tls.cert),
      secure: tls.implicit === true,
    }),
    onMailFrom(_address, session, done) {
      // As a server that takes mail over TLS alone.
      if (tls !== undefined && !session.secure)
        return done(refusal(530, 'Must issue a STARTTLS command first'));
      done();
    },
    onRcptTo({ address }, _session, done) {
      const behaviour = behave(address);
      if (behaviour === 'hang') return;
      if (behaviour === 'defer') return done(refusal(451, `4.7.1 <${address}> Greylisted, try again later`));
      if (behaviour === 'refuse') return done(refusal(550, `5.1.1 <${address}> User unknown`));
      done();
    },
    onAuth({ password: given }, _session, done) {
      if (given === password) done(null, { user: 'portcullis' });
      else done(refusal(535, 'Authentication failed'));
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if (to.some((address) => behave(address) === 'refuse-content'))
          return done(refusal(554, '5.7.1 Message refused'));
        mails.push(read(Buffer.concat(pieces).toString('latin1'), to));
        if (slow) setTimeout(done, 50);
        else done();
      });
    },
  });
  server.on('error', () => {});
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const of = (address: string) => mails.filter(({ to }) => to.includes(address));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    of,
    async waitFor(address, count = 1) {
      const giveUpAt = performance.now() + patienceMilliseconds;
      while (of(address).length < count) {
        if (performance.now() > giveUpAt) throw new Error(`No mail has come to ${address}.`);
        await sleep(20);
      }
      return of(address);
    },
    async stop() {
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

/** The settings of a service that gives its mail to this server. */
export function mailSettings({ port }: Pick<Mailbox, 'port'>): Record<string, string> {
  return {
    MAIL_HOST: '127.0.0.1',
    MAIL_PORT: String(port),
    MAIL_ALLOW_PLAINTEXT: 'true',
    MAIL_FROM: 'portcullis@example.com',
    MAIL_PASSWORD_PAGE: linkPage,
    MAIL_RETRY_SECONDS: '1',
    MAIL_TIMEOUT_SECONDS: '3',
  };
}

export const linkPage = 'https://admin.example.com/console/new-password';

/** The code of the link that a mail has. */
export function codeIn({ text }: Pick<ReceivedMail, 'text'>): string {
  const [, code] = /^https?:\/\/\S+#([A-Za-z0-9_-]{65})$/m.exec(text) ?? [];
  if (code === undefined) throw new Error(`There is no link in: ${text}`);
  return code;
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

function read(raw: string, to: readonly string[]): ReceivedMail {
  const [headers = '', ...rest] = raw.split('\r\n\r\n');
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(headers) ?? [];
  const parts = rest.join('\r\n\r\n').split(`--${boundary}`);
  const partOf = (type: string) => decode(parts.find((part) => part.includes(`Content-Type: ${type}`)) ?? '');
  const [, messageId = ''] = /^Message-ID: (\S+)$/im.exec(headers) ?? [];
  return { to, raw, headers, messageId, text: partOf('text/plain'), html: partOf('text/html') };
}

function decode(part: string): string {
  const [head = '', ...rest] = part.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const bytes = /base64/i.test(head)
    ? Buffer.from(body, 'base64')
    : /quoted-printable/i.test(head)
      ? Buffer.from(
          body
            .replace(/=\r\n/g, '')
            .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        )
      : Buffer.from(body, 'latin1');
  return bytes.toString().replaceAll('\r\n', '\n');
}
