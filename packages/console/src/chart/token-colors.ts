// Resolves the colour tokens for a canvas: only the browser resolves `light-dark()`, and only on an element.
const tokens = ['ink', 'muted', 'line', 'accent', 'bad'] as const;
export type TokenColors = Readonly<Record<(typeof tokens)[number], string>>;

export function readTokenColors(host: HTMLElement): TokenColors {
  const probe = document.createElement('span');
  host.append(probe);
  const read = (token: string) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const [ink, muted, line, accent, bad] = tokens.map(read);
  probe.remove();
  return { ink: ink ?? '', muted: muted ?? '', line: line ?? '', accent: accent ?? '', bad: bad ?? '' };
}
