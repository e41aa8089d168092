// T105 to T108: what somebody does, and what the recipes for gateways do about it.
import type { Section } from './threat.ts';

const [decided, passedOn] = [['test/gateways/whole-request-cases.ts'], ['test/gateways/passed-on-cases.ts']];

export const gateways: Section = {
  title: 'Gateways',
  threats: [
    {
      id: 'T105',
      attack:
        'An upgrade (h2c, websocket) opens a line to the service, past every further check and past the logout',
      defence:
        'Upgrades are stripped, an extended CONNECT of HTTP/2 is refused; a websocket is an opt-in a path',
      heldBy: decided,
      open: 'A websocket that was opted in goes on when its session has ended; the page of the gateways says so.',
    },
    {
      id: 'T106',
      attack: 'A request whose body is held back until after the logout',
      defence: 'The question is asked when the body has come, of bounded size and within bounded time',
      heldBy: decided,
    },
    {
      id: 'T107',
      attack: 'A guarded service replays the token of its caller on the administration',
      defence:
        'Header, query and cookie are taken out at the gateway; the service learns who calls and nothing else',
      heldBy: passedOn,
    },
    {
      id: 'T108',
      attack: '`?token=` ends up in the log of a gateway',
      defence: 'The recipes log the path without the query',
      heldBy: passedOn,
      open: 'The error log of nginx has the request line, query and all, and no format.',
    },
  ],
};
