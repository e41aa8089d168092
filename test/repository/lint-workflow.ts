// What GitHub's own reader finds wrong with a file of .github/workflows or .github/actions.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';

/** Remembers what it has read by `file`: another text needs another name. */
export async function lintWorkflow(file: string, text: string): Promise<string[]> {
  const { registerLogger, validate } = await loadReader();
  const ignore = () => undefined;
  // It logs its own faults and goes on, with nothing found.
  const fail = (message: string) => {
    throw new Error(message);
  };
  registerLogger({ error: fail, warn: ignore, info: ignore, log: ignore });
  const found = await validate(TextDocument.create(pathToFileURL(file).href, 'yaml', 1, text));
  return found.map(({ message, range }) => `${file}:${range.start.line + 1} ${message}`);
}

/** It imports JSON without saying so, which bundlers take and Node refuses. */
async function loadReader() {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      return specifier.endsWith('.json') ? { ...resolved, importAttributes: { type: 'json' } } : resolved;
    },
  });
  try {
    return await import('@actions/languageservice');
  } finally {
    hooks.deregister();
  }
}
