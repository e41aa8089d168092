// Says which Node a clone needs, before npm runs anything of it: an older one cannot read TypeScript, and says something else.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const [neededMajor, neededMinor = 0] = needed.split('.').map(Number);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  console.error(
    `Portcullis needs Node ${needed} or newer. This is Node ${process.versions.node}.
Install it from https://nodejs.org, or let npm fetch it for this shell: source scripts/use-node`,
  );
  process.exit(1);
}
