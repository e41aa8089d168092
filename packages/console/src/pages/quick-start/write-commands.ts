// Shell commands with the address of the service and the reader's username. Passwords are typed at a prompt and never
// part of a command, because commands appear in the shell history and in the process list.

export interface Place {
  /** The origin of this service, without a trailing slash. */
  readonly origin: string;
  readonly username: string;
  readonly userId: number;
  /** Whether the service runs in `dev`: then there is no captcha, and a guard needs the setting. */
  readonly dev: boolean;
}

export interface Commands {
  readonly login: string;
  readonly call: string;
  readonly explain: string;
  readonly routes: string;
  readonly guard: string;
  readonly gateway: string;
  readonly follow: string;
}

const bearer = '-H "Authorization: Bearer $TOKEN"';
const json = "-H 'Content-Type: application/json'";

export function writeCommands(place: Place): Commands {
  const { origin, userId } = place;
  return {
    login: place.dev ? loginWithoutCaptcha(place) : loginWithCaptcha(place),
    call: `curl -sS ${origin}/api/v1/getinfo ${bearer} | jq .data`,
    explain: `curl -sSi -w '\\n' ${origin}/api/v1/users
curl -sSG ${origin}/api/v1/explain ${bearer} \\
  -d userId=${userId} -d method=DELETE -d path=/api/v1/users/${userId} | jq .data`,
    routes: `curl -sS http://127.0.0.1:9000/openapi.json |
  curl -sS -X PUT ${origin}/api/v1/routes/orders \\
    ${bearer} ${json} \\
    --data-binary @- | jq .data`,
    guard: guardOf(place),
    gateway: `export DECISION_SECRET=\${DECISION_SECRET:-$(openssl rand -hex 32)}
sudo cp deploy/gateways/nginx/portcullis.conf /etc/nginx/conf.d/
echo "proxy_set_header X-Portcullis-Secret \\"$DECISION_SECRET\\";" |
  sudo install -m 600 /dev/stdin /etc/nginx/portcullis-secret.conf
sudo nginx -t && sudo nginx -s reload
npx portcullis self-test --gateway http://127.0.0.1:8080`,
    follow: `curl -sSN ${origin}/api/v1/login-logs/tail ${bearer}`,
  };
}

// Commands are joined by `&&`: if all lines are pasted at once, a line after a prompt would be read as its answer.
function loginWithoutCaptcha({ origin, username }: Place): string {
  return `printf 'Password: ' && read -rs PASSWORD && echo && export PASSWORD &&
TOKEN=$(jq -n '{username: "${username}", password: env.PASSWORD}' |
  curl -sS ${origin}/api/v1/login ${json} --data @- |
  jq -r '.token // error(.msg)'); unset PASSWORD`;
}

function loginWithCaptcha({ origin, username }: Place): string {
  return `CAPTCHA=$(curl -sS ${origin}/api/v1/getCaptcha) &&
echo "$CAPTCHA" | jq -r .data | cut -d, -f2 | base64 -d > captcha.png &&
printf 'Characters in captcha.png: ' && read -r CODE && export CODE &&
printf 'Password: ' && read -rs PASSWORD && echo && export PASSWORD &&
TOKEN=$(echo "$CAPTCHA" |
  jq '{username: "${username}", password: env.PASSWORD, uuid: .id, code: env.CODE}' |
  curl -sS ${origin}/api/v1/login ${json} --data @- |
  jq -r '.token // error(.msg)'); unset PASSWORD`;
}

function guardOf({ dev }: Place): string {
  return `import { callerOf, protect } from '@portcullis/guard/express';
import { createGuard } from '@portcullis/guard';
import express from 'express';

const guard = await createGuard({
  url: 'http://127.0.0.1:8002',
  secret: process.env.DECISION_SECRET,
  service: 'orders',${dev ? '\n  dev: true,' : ''}
});
const app = express();
app.use(protect(guard), express.json(), protect(guard));
app.get('/api/v1/orders', (request, response) => {
  response.json({ code: 200, msg: 'success', data: callerOf(request) });
});
const server = app.listen(9000, '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  void guard.close();
});`;
}
