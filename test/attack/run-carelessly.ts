// The service as it would be without what stands against some attacks, for their controls: its sources are changed while they
// load. What is not where a change looks for it fails the start.
import { registerHooks } from 'node:module';

export interface Carelessness {
  /** How the path of a source ends. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export async function runCarelessly(changes: readonly Carelessness[]): Promise<void> {
  const made = new Set<Carelessness>();
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      let source: string | undefined;
      for (const change of changes) {
        if (!url.endsWith(change.file)) continue;
        source ??= String(loaded.source);
        if (!source.includes(change.from)) continue;
        source = source.replaceAll(change.from, change.to);
        made.add(change);
      }
      return source === undefined ? loaded : { ...loaded, source };
    },
  });
  await import('../rig/business-service.ts');
  const missed = changes.filter((change) => !made.has(change));
  if (missed.length > 0) throw new Error(`These are not where this control looks: ${JSON.stringify(missed)}`);
}
