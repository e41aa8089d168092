// Says which Node is needed where an older one runs what is published, before anything else of it is loaded. It is text: it
// must be read by every Node, and also where there is none, as bundlers put it into pages.

interface Named {
  readonly name: string;
  readonly engines: { readonly node: string };
}

/** Throws, for who imports a package. */
export const throwOnOldNode = (manifest: Named) =>
  check(manifest, (sentence) => `throw new Error(${sentence});`);

/** Prints and ends, for who runs a command. */
export const endOnOldNode = (manifest: Named) =>
  check(manifest, (sentence) => `console.error(${sentence}), process.exit(1);`);

function check({ name, engines }: Named, refuse: (sentence: string) => string): string {
  const needed = engines.node.replace('>=', '');
  const [major, minor = '0'] = needed.split('.');
  return `{
  const node = typeof process === 'object' && process.versions && process.versions.node;
  const [major, minor] = String(node || Infinity).split('.').map(Number);
  if (major < ${major} || (major === ${major} && minor < ${minor}))
    ${refuse(`'${name} needs Node ${needed} or newer. This is Node ' + node + '.'`)}
}
`;
}
