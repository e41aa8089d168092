// Formats the demo's facts as one box of at most 80 columns. It has no borders at the sides, so that commands can be
// copied; expected output follows an arrow.
import { endpointCount, people, roles } from './company.ts';
import type { DemoFacts } from './demo-facts.ts';

export const boxColumns = 80;
const margin = '  ';
const arrow = '→ ';

export function formatBox({
  console: address,
  decision,
  administrator,
  clerk,
  settingsFile,
  commands,
}: DemoFacts): string {
  const edge = '─'.repeat(boxColumns);
  const head = [
    'Portcullis demo. All data is in memory, and lost when the demo ends (Ctrl-C).',
    '',
    `Console   ${address}`,
    ...(decision === undefined ? [] : [`Guards    ${decision}`]),
    `${administrator.username.padEnd(9)} ${administrator.password}   may do everything`,
    `${clerk.username.padEnd(9)} ${clerk.password}   a clerk; the other users have this one too`,
    '',
    `${roles.length} roles, ${people.length} users, ${endpointCount} endpoints of a made-up back end, two weeks of logins.`,
  ];
  let steps = 0;
  const shown = commands.flatMap(({ title, command, prints }) => {
    if (title !== '') steps += 1;
    return [
      '',
      ...(title === '' ? [] : [`${steps}. ${title}`, '']),
      ...command.split('\n'),
      ...prints.flatMap((line) => wrap(line).map((part, place) => `${place === 0 ? arrow : margin}${part}`)),
    ];
  });
  const foot = ['', 'Other commands of portcullis work on it too, with', `--config ${settingsFile}`];
  const lines = [...head, ...shown, ...foot].map((line) => (line === '' ? '' : `${margin}${line}`));
  return [edge, ...lines, edge].join('\n');
}

function wrap(text: string): string[] {
  const most = boxColumns - margin.length - arrow.length;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
