// Threats T105 to T108, the chapter “Gateways”.
import type { Section } from './threat.ts';

const [decided, passedOn] = [['test/gateways/whole-request-cases.ts'], ['test/gateways/passed-on-cases.ts']];

export const gateways: Section = {
  title: 'Gateways',
  page: 'gateways',
  threats: [
    {
      id: 'T105',
      attack:
        'An upgrade (h2c, websocket) opens a connection to the service that avoids every further check and survives the logout.',
      defence:
        'Upgrades are stripped, and an extended CONNECT of HTTP/2 is rejected. A websocket must be opted in for a path.',
      heldBy: decided,
      open: 'A websocket that was opted in stays open after its session ends. The gateway page says so.',
    },
    {
      id: 'T106',
      attack: 'A request holds back its body until after the logout.',
      defence:
        'The gateway asks after the body has arrived. The size of the body and the time to receive it are limited.',
      heldBy: decided,
    },
    {
      id: 'T107',
      attack: 'A guarded service replays the token of its caller to the administration endpoints.',
      defence:
        'The gateway removes the token from header, query and cookie. The service receives only the caller’s identity.',
      heldBy: passedOn,
    },
    {
      id: 'T108',
      attack: '`?token=` appears in the log of a gateway.',
      defence: 'The recipes log the path without the query.',
      heldBy: passedOn,
      open: 'The error log of nginx contains the request line with the query, and its format cannot be set.',
    },
  ],
};
