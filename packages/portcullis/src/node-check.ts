// Generates the check of the Node version that runs before the rest of a published file is loaded. The
// result is JavaScript text that every Node version can parse and that does nothing outside Node, because
// bundlers put it into web pages.

interface Named {
  readonly name: string;
  readonly engines: { readonly node: string };
}

/** For imported packages: throws. */
export const throwOnOldNode = (manifest: Named) =>
  check(manifest, (sentence) => `throw new Error(${sentence});`);

/** For commands: prints the error and exits. */
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
