// Spec, Endpoints, Login processing order 3 and 4: credentials, then the token. Steps 1 and 2 are in
// resources.test.ts and captcha.test.ts.
import { describe, expect, it } from 'vitest';
import { password } from '../rig/seed.ts';
import type { Service } from '../rig/start-service.ts';
import { decodeToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { expectLoginRefusal } from './expect-refusal.ts';
import { modes } from './modes.ts';

describe.each(modes)('in mode %s', (mode) => {
  const service = useService({ mode });

  const refused: Record<string, (service: Service) => ReturnType<Service['logIn']>> = {
    'a wrong password': (on) => on.logIn('carl', 'Rig-password-4712'),
    'an unknown user': (on) => on.logIn('nobody'),
    'a disabled user': (on) => on.logIn('dora'),
    'a user of a disabled role': (on) => on.logIn('otto'),
    "another user's password hash as password": async (on) => {
      const [row] = await on.database.query<{ password_hash: string }>(
        'select password_hash from users limit 1',
      );
      return on.logIn('carl', row?.password_hash);
    },
    'a password in other letters': (on) => on.logIn('carl', password.toLowerCase()),
    'a password with a space behind it': (on) => on.logIn('carl', `${password} `),
    'a name that is SQL': (on) => on.logIn(`carl' or '1'='1`),
    'a name with a zero byte': (on) => on.logIn('carl\u0000'),
  };

  it.each(Object.keys(refused))(
    'refuses %s with one and the same answer and issues no token [login-processing-order-3]',
    async (name) => {
      const answer = await refused[name]?.(service());
      if (answer === undefined) throw new Error(name);
      expectLoginRefusal(answer, 'credentials_wrong');
      expect(answer.text).toBe((await service().logIn('carl', 'wrong')).text);
    },
  );

  it('finds the user with its role and issues the token for both [login-processing-order-3] [login-processing-order-4]', async () => {
    const { body } = await service().logIn('alba');
    expect(decodeToken(String(body.token)).claims).toMatchObject({ nice: 'alba', rolekey: 'auditor' });
  });

  it('returns token and expire on success [login-processing-order-4]', async () => {
    const { body } = await service().logIn('carl');
    expect(body).toMatchObject({ code: 200, token: expect.any(String), expire: expect.any(String) });
  });
});
