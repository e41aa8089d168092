import { expect, it } from 'vitest';
import { suggest } from '../../../src/base/settings/suggest.ts';

const known = ['application.mode', 'application.port', 'ops.port', 'OPS_PORT', 'OPS_PORT_FILE'];

it.each([
  ['colour', undefined],
  ['ops', undefined],
  ['opsport', 'ops.port'],
  ['os.prt', undefined],
  ['application.mood', 'application.mode'],
  ['application.moooode', undefined],
  ['APPLICATION.MODE', 'application.mode'],
  ['pplication.mod', 'application.mode'],
  ['application.prot', 'application.port'],
  ['OPS_PROT', 'OPS_PORT'],
])('takes %s for %s', (name, meant) => {
  expect(suggest(name, known)).toBe(meant);
});
