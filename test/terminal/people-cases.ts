// Programs that log in, mail and webhooks, tried for real: on a folder that is empty and a host that does not exist.
import { asks, type Case, rowsOf, simple } from './scene.ts';

const isPerson = /^alice is a person\. `portcullis user create --service` creates a service account\.$/m;
const noMail = '6f1c2d1e-6f6b-4d0e-9a51-0d9f2a3c4b5e';

export const peopleCases: readonly Case[] = [
  simple('user mail', 'sets the address', 'user mail alice alice@example.com', {
    sees: /goes to alice@example\.com/,
  }),
  simple('user invite', 'says what turns links on', 'user invite alice', {
    code: 1,
    sees: /mail\.passwordPage/,
  }),
  simple('service-keys new', 'makes none for a person', 'service-keys new alice --out key.json', {
    code: 1,
    sees: isPerson,
  }),
  simple('service-keys add', 'names the file that is missing', 'service-keys add alice key.json', {
    code: 64,
    sees: /key\.json cannot be read/,
  }),
  simple('service-keys list', 'lists none of a person', 'service-keys list alice', {
    code: 1,
    sees: isPerson,
  }),
  simple('service-keys end', 'ends none of a person', 'service-keys end alice 1', {
    code: 1,
    sees: isPerson,
  }),
  simple('login', 'names the file that is missing', 'login --key key.json', {
    code: 64,
    sees: /key\.json cannot be read/,
  }),
  simple('mail list', 'lists', 'mail list', { sees: /There are no mails/ }),
  simple('mail retry', 'says that there is none', `mail retry ${noMail}`, {
    code: 1,
    sees: /There is no such record/,
  }),
  simple('webhook add', 'shows the secret once', 'webhook add SIEM https://siem.invalid/in', {
    sees: /whsec_/,
  }),
  simple('webhook list', 'lists', 'webhook list', { sees: /SIEM/ }),
  simple('webhook rotate', 'makes another secret', 'webhook rotate 1', { sees: /whsec_/ }),
  simple('webhook test', 'says why it was not taken', 'webhook test 1', {
    code: 1,
    sees: /The test event of webhook 1 is not delivered/,
  }),
  simple('webhook deliveries', 'lists', 'webhook deliveries 1 --state dead', {
    sees: /There are no pending deliveries/,
  }),
  simple('webhook replay', 'counts', 'webhook replay 1', { sees: /retried: 0/ }),
  simple('webhook skip', 'says that there is none', 'webhook skip 1 12', {
    code: 1,
    sees: /no such webhook or delivery/,
  }),
  asks('webhook remove', 'webhook remove 1', {
    question: /Delete webhook 1 and its pending deliveries\?/,
    sees: /^Webhook 1 is deleted\.$/m,
    unchanged: rowsOf('select id, name, url from webhooks'),
  }),
];
