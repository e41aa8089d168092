// One Express route: without a check, behind the guard (`--guard`), or behind passport-jwt and node-casbin with
// go-admin's model (`--passport`). The input of each comes on standard input.
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { createGuard } from '@portcullis/guard';
import { protect } from '@portcullis/guard/express';
import { newEnforcer, newModel, StringAdapter } from 'casbin';
import express, { type RequestHandler } from 'express';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { goAdminModel } from '../../packages/policy/test/go-admin-model.ts';
import { hello, helloEndpoint } from '../http/hello.ts';

export interface PeerInput {
  readonly key: JsonWebKey;
  /** In casbin's policy format. */
  readonly policy: string;
}

export interface GuardInput {
  readonly url: string;
  readonly secret: string;
}

const input = await text(process.stdin);

async function guarded(): Promise<RequestHandler[]> {
  const { url, secret } = JSON.parse(input) as GuardInput;
  return [protect(await createGuard({ url, secret, service: 'bench', dev: true }))];
}

/** Set up as in the documentation of both libraries. */
async function authenticated(): Promise<RequestHandler[]> {
  const { key, policy } = JSON.parse(input) as PeerInput;
  const secretOrKey = createPublicKey({ format: 'jwk', key }).export({ format: 'pem', type: 'spki' });
  const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken();
  passport.use(
    new Strategy({ secretOrKey, jwtFromRequest, algorithms: ['ES256'] }, (claims, done) =>
      done(null, claims),
    ),
  );
  const enforcer = await newEnforcer(newModel(goAdminModel), new StringAdapter(policy));
  const permit: RequestHandler = async (request, response, next) => {
    const { rolekey } = request.user as { rolekey: string };
    if (await enforcer.enforce(rolekey, request.path, request.method)) next();
    else response.json({ code: 401, msg: 'refused' });
  };
  return [passport.authenticate('jwt', { session: false }) as RequestHandler, permit];
}

const app = express();
if (process.argv.includes('--guard')) app.use(...(await guarded()));
if (process.argv.includes('--passport')) app.use(...(await authenticated()));
app.get(helloEndpoint.path, (_request, response) => {
  response.json({ code: 200, msg: 'success', data: hello });
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'ready', port: (server.address() as { port: number }).port }));
});
