// Express with passport-jwt and casbin's cached enforcer, set up as in their documentation: it caches the decision for
// a role, a path and a method. Keys and rules come on standard input.
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { newCachedEnforcer, newModel, StringAdapter } from 'casbin';
import express, { type RequestHandler } from 'express';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { goAdminModel } from '../../packages/policy/test/go-admin-model.ts';
import { hello, helloEndpoint } from '../http/hello.ts';

const { key, policy } = JSON.parse(await text(process.stdin)) as { key: JsonWebKey; policy: string };
const secretOrKey = createPublicKey({ format: 'jwk', key }).export({ format: 'pem', type: 'spki' });
const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken();
passport.use(
  new Strategy({ secretOrKey, jwtFromRequest, algorithms: ['ES256'] }, (claims, done) => done(null, claims)),
);
const enforcer = await newCachedEnforcer(newModel(goAdminModel), new StringAdapter(policy));
const permit: RequestHandler = async (request, response, next) => {
  const { rolekey } = request.user as { rolekey: string };
  if (await enforcer.enforce(rolekey, request.path, request.method)) next();
  else response.json({ code: 401, msg: 'refused' });
};

const app = express();
app.use(passport.authenticate('jwt', { session: false }) as RequestHandler, permit);
app.get(helloEndpoint.path, (_request, response) => {
  response.json({ code: 200, msg: 'success', data: hello });
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'ready', port: (server.address() as { port: number }).port }));
});
