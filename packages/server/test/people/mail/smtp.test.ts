// Against a real SMTP server, as it accepts, puts off, refuses, hangs, and has TLS or not.
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Behaviour, type Mailbox, startMailbox } from '../../../../../test/rig/mailbox.ts';
import { makeCertificate } from '../../../../../test/rig/self-signed.ts';
import { createSmtp, type SmtpOptions } from '../../../src/people/mail/smtp.ts';
import { writeMail } from '../../../src/people/mail/write-mail.ts';

const mail = {
  id: '6f1c2d1e-6f6b-4d0e-9a51-0d9f2a3c4b5e',
  at: new Date('2026-01-02T03:04:05Z'),
  ...writeMail(
    {
      kind: 'password_changed',
      username: 'mei',
      name: '林美',
      at: new Date('2026-01-02T03:04:05Z'),
      facts: {},
    },
    'zh',
  ),
};

let files: { cert: string; key: string };
let plain: Mailbox;
let secure: Mailbox;
let implicit: Mailbox;
beforeAll(async () => {
  files = await makeCertificate(await mkdtemp(join(tmpdir(), 'smtp-')));
  const behave = (address: string) => (address.split('@')[0] as Behaviour) ?? 'accept';
  plain = await startMailbox({ behave });
  secure = await startMailbox({ tls: files, password: 'right' });
  implicit = await startMailbox({ tls: { ...files, implicit: true } });
});
afterAll(async () => void (await Promise.all([plain, secure, implicit].map((box) => box.stop()))));

const options = (port: number, some: Partial<SmtpOptions> = {}): SmtpOptions => ({
  host: '127.0.0.1',
  port,
  tls: 'starttls',
  allowPlaintext: false,
  caFile: files.cert,
  username: '',
  password: '',
  from: 'portcullis@example.com',
  fromName: 'Portcullis',
  timeoutSeconds: 30,
  ...some,
});
const inPlain = (some: Partial<SmtpOptions> = {}) =>
  createSmtp(options(plain.port, { allowPlaintext: true, ...some }));
const who = { username: 'portcullis', password: 'right' };

describe('a mail', () => {
  it('that the server refuses is refused, with what it said and without the address', async () => {
    const delivery = await inPlain().send({ ...mail, address: 'refuse@example.com' });
    expect(delivery).toEqual({ outcome: 'refused', reason: expect.stringContaining('550') });
    expect(JSON.stringify(delivery)).not.toContain('refuse@');
  });

  it('whose content the server refuses is refused, with what it said', async () => {
    const delivery = await inPlain().send({ ...mail, address: 'refuse-content@example.com' });
    expect(delivery).toEqual({ outcome: 'refused', reason: expect.stringContaining('554') });
  });

  it('that the server puts off, or hangs over, is deferred, and the connection is closed', async () => {
    for (const address of ['defer@example.com', 'hang@example.com'])
      expect(await inPlain({ timeoutSeconds: 1 }).send({ ...mail, address })).toMatchObject({
        outcome: 'deferred',
      });
    expect(plain.mails).toEqual([]);
  });

  it('that is on its way when the instance stops is deferred at once', async () => {
    const smtp = inPlain();
    const sent = smtp.send({ ...mail, address: 'hang@example.com' });
    const interrupting = setInterval(smtp.interrupt, 100);
    expect(await sent).toEqual({
      outcome: 'deferred',
      reason: expect.stringContaining('The instance stops.'),
    });
    clearInterval(interrupting);
  });

  it.each(['a@example.com,b@example.com', 'a@example.com\r\nBcc: b@example.com', ''])(
    'to %j is refused before anything is sent',
    async (address) => {
      const refused = { outcome: 'refused', reason: 'The address is none.' };
      expect(await inPlain().send({ ...mail, address })).toEqual(refused);
    },
  );

  it('is deferred where the port refuses the connection', async () => {
    const { outcome } = await createSmtp(options(1)).send({ ...mail, address: 'accept@example.com' });
    expect(outcome).toBe('deferred');
  });

  it('goes to the host that the settings name, and to no other', async () => {
    const elsewhere = createSmtp(options(plain.port, { allowPlaintext: true, host: 'mail.invalid' }));
    const before = plain.mails.length;
    const { outcome } = await elsewhere.send({ ...mail, address: 'accept@example.com' });
    expect([outcome, plain.mails.length]).toEqual(['deferred', before]);
  });

  it.each([
    ['a file', () => ({ path: files.cert }), 'File access rejected'],
    ['a page', () => ({ href: 'http://127.0.0.1:1/' }), 'Url access rejected'],
  ])('has no part that is read from %s', async (_what, part, reason) => {
    const text = part() as unknown as string;
    const delivery = await inPlain().send({ ...mail, text, address: 'accept@example.com' });
    expect(delivery).toEqual({ outcome: 'deferred', reason: expect.stringContaining(reason) });
  });

  it('goes out with the id of its row, its date, both parts, and as what no absence answers', async () => {
    const address = 'accept@example.com';
    expect(await inPlain().send({ ...mail, address })).toEqual({ outcome: 'accepted' });
    const [received] = plain.of(address);
    expect(received?.messageId).toBe(`<${mail.id}@example.com>`);
    expect(received?.headers).toMatch(/^Date: Fri, 02 Jan 2026 03:04:05 \+0000\r$/m);
    expect(received?.headers).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(received?.text).toContain('林美，您好');
    expect(received?.html).toContain('<html lang="zh">');
  });
});

describe('TLS', () => {
  const address = 'mei@example.com';
  it('is demanded: a server without it gets nothing', async () => {
    const before = plain.mails.length;
    const { outcome } = await createSmtp(options(plain.port)).send({
      ...mail,
      address: 'accept@example.com',
    });
    expect([outcome, plain.mails.length]).toEqual(['deferred', before]);
  });

  it('requires a certificate from a trusted authority: otherwise no mail is sent', async () => {
    const strange = createSmtp(options(secure.port, { ...who, caFile: '' }));
    expect((await strange.send({ ...mail, address })).outcome).toBe('deferred');
    await expect(strange.verify()).rejects.toThrow(/certificate/);
    expect(secure.mails).toEqual([]);
  });

  it('is used with STARTTLS and from the first byte', async () => {
    expect(await createSmtp(options(secure.port, who)).send({ ...mail, address })).toEqual({
      outcome: 'accepted',
    });
    const whole = createSmtp(options(implicit.port, { tls: 'implicit' }));
    expect(await whole.send({ ...mail, address })).toEqual({ outcome: 'accepted' });
    await whole.verify();
  });

  it('is not used where the settings say plaintext, whatever else they and the server say', async () => {
    const offering = await startMailbox({ tls: files });
    const delivery = await createSmtp(options(offering.port, { allowPlaintext: true })).send({
      ...mail,
      address,
    });
    expect(delivery).toEqual({
      outcome: 'refused',
      reason: expect.stringContaining('Must issue a STARTTLS'),
    });
    const both = createSmtp(options(plain.port, { allowPlaintext: true, tls: 'implicit' }));
    expect((await both.send({ ...mail, address: 'accept@example.com' })).outcome).toBe('accepted');
    await offering.stop();
  });

  it('carries the password; a wrong one defers the mail, which is not at fault', async () => {
    const wrong = createSmtp(options(secure.port, { ...who, password: 'wrong' }));
    expect(await wrong.send({ ...mail, address })).toEqual({
      outcome: 'deferred',
      reason: expect.stringContaining('EAUTH'),
    });
    await expect(wrong.verify()).rejects.toThrow(/535/);
  });
});

describe('a check of the server ends', () => {
  const check = async (talk: (socket: Socket) => void) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      talk(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const problem = await createSmtp(options(port, { allowPlaintext: true, timeoutSeconds: 1 }))
      .verify()
      .catch(({ message }: Error) => message);
    for (const socket of sockets) socket.destroy();
    server.close();
    return problem;
  };

  it('where the server never greets', async () => {
    // On a busy machine the limit of the connection, or of the socket, can end before that of the greeting.
    expect(await check(() => {})).toMatch(/Greeting never received|timeout/i);
  });

  it('where the server greets and then says nothing', async () => {
    expect(await check((socket) => void socket.write('220 mail.example.com\r\n'))).toContain('Timeout');
  });
});
