// A common alternative to Portcullis: Express, jsonwebtoken and node-casbin with go-admin's model, with the same rules
// and the same tokens. Keys and rules come on standard input.
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { newEnforcer, newModel, StringAdapter } from 'casbin';
import express from 'express';
import jwt from 'jsonwebtoken';
import { goAdminModel } from '../../packages/policy/test/go-admin-model.ts';
import { hello, helloEndpoint } from './hello.ts';

const { key, policy } = JSON.parse(await text(process.stdin)) as { key: JsonWebKey; policy: string };
const publicKey = createPublicKey({ format: 'jwk', key });
const enforcer = await newEnforcer(newModel(goAdminModel), new StringAdapter(policy));

const app = express();
app.get(helloEndpoint.path, async (request, response) => {
  const refuse = () => response.json({ code: 401, msg: 'refused' });
  try {
    const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const claims = jwt.verify(token, publicKey, { algorithms: ['ES256'] }) as { rolekey: string };
    if (!(await enforcer.enforce(claims.rolekey, request.path, request.method))) return void refuse();
  } catch {
    return void refuse();
  }
  response.json({ code: 200, msg: 'success', data: hello });
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'ready', port: (server.address() as { port: number }).port }));
});
