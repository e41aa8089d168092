// Tokens that are live now, whatever earlier calls ended: made from the present state of the database.
import { randomBytes } from 'node:crypto';
import type { Username } from '../rig/seed.ts';
import type { Service } from '../rig/start-service.ts';
import { type Claims, signToken } from '../rig/tokens.ts';

interface Row {
  readonly role_id: string;
  readonly role_key: string;
  readonly data_scope: string;
  readonly epoch: string;
}

export async function currentToken(
  service: Service,
  username: Username,
  change: (claims: Claims) => Claims = (claims) => claims,
): Promise<string> {
  const claims = await service.claimsOf(username);
  const [row] = await service.database.query<Row>(
    `select role_id, role_key, data_scope, epoch from users join roles on roles.id = role_id where username = $1`,
    [username],
  );
  if (row === undefined) throw new Error(`There is no ${username}.`);
  const now = {
    ...claims,
    roleid: Number(row.role_id),
    rolekey: row.role_key,
    datascope: row.data_scope,
    ep: Number(row.epoch),
    jti: randomBytes(16).toString('base64url'),
  };
  return signToken(change(now), await service.signingKey());
}
