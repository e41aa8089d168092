// Summarises a user agent: browser and operating system. An unknown user agent stays as it is.

const browsers = [
  ['Edge', /\bEdgA?(?:iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['WeChat', /\bMicroMessenger\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//],
] as const;

// Android before Linux, and iOS before macOS, because each also contains the other's name.
const systems = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b|\bX11\b/],
] as const;

const longest = 40;

/** @example readBrowser('curl/7.88.1'); // 'curl 7' */
export function readBrowser(userAgent: string): string {
  const system = systems.find(([, sign]) => sign.test(userAgent))?.[0];
  for (const [name, sign] of browsers) {
    const version = sign.exec(userAgent)?.[1];
    if (version !== undefined) return [`${name} ${version}`, system].filter(Boolean).join(' · ');
  }
  const [, program, version] = /^([A-Za-z][\w-]*)\/(\d+)/.exec(userAgent) ?? [];
  if (program !== undefined && program !== 'Mozilla') return `${program} ${version}`;
  return userAgent.length > longest ? `${userAgent.slice(0, longest)}…` : userAgent;
}
