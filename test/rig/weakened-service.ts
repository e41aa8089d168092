// The business service with some of test/weaknesses planted, by their names: for a scenario that has a sound instance and a
// weakened one side by side. Its sources are changed while they load.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { weaknesses } from '../weaknesses/all.ts';
import { type Place, placesOf, planted } from '../weaknesses/weakness.ts';

const root = new URL('../../', import.meta.url);
const places = process.argv.slice(2).flatMap(placesNamed);
registerHooks({
  load(url, context, nextLoad) {
    const own = places.filter(({ file }) => url === new URL(file, root).href);
    if (own.length === 0) return nextLoad(url, context);
    let source = readFileSync(fileURLToPath(url), 'utf8');
    for (const place of own) source = planted(place, source);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});
await import('./business-service.ts');

function placesNamed(name: string): readonly Place[] {
  const weakness = weaknesses.find((each) => each.name === name);
  if (weakness === undefined) throw new Error(`There is no weakness "${name}".`);
  const found = placesOf(weakness);
  if (found.some(({ file }) => !file.endsWith('.ts')))
    throw new Error(`"${name}" is planted in more than sources.`);
  return found;
}
