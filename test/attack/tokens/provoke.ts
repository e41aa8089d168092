// T16: what the service can be made to write: requests of every outcome, at the most talkative level.
import { carriers, present } from '../../rig/carriers.ts';
import type { Request } from '../../rig/http-client.ts';
import { captchaKey, masterKey, sealingKey } from '../../rig/master-key.ts';
import type { Service } from '../../rig/start-service.ts';
import { readKeyOf } from '../../rig/tokens.ts';
import { targetOf } from './forge.ts';
import { furtherMembers, headerTexts } from './headers.ts';

/** Every key that could make a token or open one, by what it is. */
export async function secretKeys({ database }: Service): Promise<Record<string, Buffer>> {
  const keys: Record<string, Buffer> = {
    'master key': Buffer.from(masterKey, 'hex'),
    'captcha key': captchaKey,
    'sealing key': sealingKey,
  };
  const rows = await database.query<{ kid: string }>('select kid from keys where sealed_private is not null');
  for (const { kid } of rows) {
    const { privateKey } = await readKeyOf(database, kid);
    keys[`signing key ${kid}`] = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
  }
  return keys;
}

/** All that it answered and logged: hits, refusals, faults, keys made and used, an absent table. */
export async function provoke(service: Service): Promise<string> {
  const shown: string[] = [];
  const send = async (request: Request) => {
    const { headers, text, body } = await service.send(request);
    shown.push(JSON.stringify(headers), text);
    return body;
  };
  const token = await service.tokenOf('ada');
  const target = await targetOf(service);
  const forged = [...furtherMembers(target), ...headerTexts(target)].map((forgery) => forgery.token);
  for (const presented of [token, 'x.y.z', '', ...forged])
    for (const carrier of carriers)
      for (const path of ['/api/v1/orders', '/api/v1/keys', '/api/v1/nothing', '/api/v1/%zz'])
        await send(present(presented, carrier, { path }));
  const asAdmin = (method: string, path: string, body?: unknown) =>
    send(present(token, 'header', { method, path, ...(body === undefined ? {} : { body }) }));
  const added = await asAdmin('POST', '/api/v1/keys');
  await asAdmin('POST', `/api/v1/keys/${(added.data as { kid: string }).kid}/activate`);
  for (const path of ['jwks', 'keys', 'instances', 'sessions', 'getinfo', 'user/profile'])
    await asAdmin('GET', `/api/v1/${path}`);
  await asAdmin('POST', '/api/v1/faults', {});
  await asAdmin('POST', '/api/v1/login', { username: 'x', password: 'x' });
  await service.logIn('carl');
  await service.logIn('carl', 'wrong');
  const unlock = await service.database.lock('users');
  await service.logIn('carl').finally(unlock);
  for (const path of ['/livez', '/readyz', '/metrics', '/debug', '/heapdump']) {
    const answer = await fetch(`http://127.0.0.1:${service.server.opsPort}${path}`);
    shown.push(await answer.text());
  }
  await asAdmin('POST', '/api/v1/logout');
  await service.server.stop();
  return shown.join('\n') + service.server.process.output;
}
