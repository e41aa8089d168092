// The completion scripts in the shells that they are for. Bash is everywhere; the others are tried where they are.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { listCompletions } from '../../src/cli/completion/command-completions.ts';
import { bashCompletion } from '../../src/cli/completion/completion-bash.ts';
import { fishCompletion } from '../../src/cli/completion/completion-fish.ts';
import { zshCompletion } from '../../src/cli/completion/completion-zsh.ts';
import { createProgram } from '../../src/cli/program.ts';

const completions = listCompletions(await createProgram('0.0.0'));
const folder = mkdtempSync(join(tmpdir(), 'completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

function scriptOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/** The last word is the one that is being typed. */
function completeInBash(...words: string[]): string[] {
  const quoted = ['portcullis', ...words].map((word) => `'${word}'`).join(' ');
  const script = `source ${scriptOf('bash', bashCompletion(completions))}
    COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _portcullis; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8', cwd: folder }).split('\n').filter(Boolean);
}

function completeInFish(line: string): string[] {
  const script = `source ${scriptOf('portcullis.fish', fishCompletion(completions))}; complete -C '${line}'`;
  const text = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8', cwd: folder });
  return text
    .split('\n')
    .flatMap((found) => found.split('\t', 1))
    .filter(Boolean);
}

/** Through a separate terminal: zsh completes nowhere else. */
function completeInZsh(line: string): string {
  const path = scriptOf('zsh', zshCompletion(completions));
  const script = `zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell 'PS1="> "; autoload -U compinit; compinit -u -d ${folder}/dump; source ${path}; echo be""gin'
    zpty -r shell text '*begin*'
    zpty -w -n shell '${line}'$'\\t\\t'
    for ((silent = 0; silent < 20; silent++)); do
      sleep 0.1
      while zpty -r -t shell part; do print -rn -- "$part"; silent=0; done
    done
    zpty -d shell`;
  const options = { encoding: 'utf8', cwd: folder, timeout: 240_000 } as const;
  return stripVTControlCharacters(execFileSync('zsh', ['-f', '-c', script], options));
}

describe('in bash', () => {
  it('completes commands, and commands below them', () => {
    expect(completeInBash('se')).toEqual(['serve', 'sessions', 'service-keys', 'self-test']);
    expect(completeInBash('user', '')).toEqual(expect.arrayContaining(['list', 'reset-password', '--json']));
    expect(completeInBash('--json', 'user', 'dis')).toEqual(['disable']);
  });

  it('completes the options of a command, and no others', () => {
    expect(completeInBash('user', 'list', '--')).toEqual([
      ...['--name', '--role', '--all', '--config', '--json', '--help'],
    ]);
  });

  it('completes choices and names of files, and invents nothing', () => {
    expect(completeInBash('role', 'create', 'clerk', '--data-scope', '')).toEqual(['1', '2', '3', '4', '5']);
    expect(completeInBash('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    scriptOf('a settings file.yaml', '');
    expect(completeInBash('serve', '--config', 'a se')).toEqual(['a settings file.yaml']);
    expect(completeInBash('user', 'list', '--name', '')).toEqual([]);
  });

  it('completes every command there is', () => {
    for (const { words, commands } of completions)
      for (const { name } of commands)
        expect(completeInBash(...words.split(' ').filter(Boolean), name)).toContain(name);
  });
});

describe('in every shell', () => {
  const place = {
    words: 'user list',
    commands: [{ name: 'show', description: "the user's" }],
    options: [
      { name: '--all', description: 'all', value: 'none' },
      { name: '--config', description: 'settings: a file', value: 'file' },
      { name: '--name', description: 'beginning', value: 'unknown' },
      { name: '--scope', description: 'scope', value: ['1', '2'] },
    ],
    argument: 'none',
  } as const;
  const lineOf = (script: string, part: string) =>
    script
      .split('\n')
      .find((line) => line.includes(part))
      ?.trim();

  it('an option completes the values of its kind', () => {
    const fish = fishCompletion([place]);
    expect(lineOf(fish, '-l all')).toMatch(/ -l all -d 'all'$/);
    expect(lineOf(fish, '-l config')).toMatch(/ -l config -d 'settings: a file' -r -F$/);
    expect(lineOf(fish, '-l name')).toMatch(/ -l name -d 'beginning' -x$/);
    expect(lineOf(fish, '-l scope')).toMatch(/ -l scope -d 'scope' -x -a '1 2'$/);
    const zsh = zshCompletion([place]);
    expect(zsh).not.toContain("'user list --all')");
    expect(lineOf(zsh, "'user list --config')")).toBe("'user list --config') _files; return ;;");
    expect(lineOf(zsh, "'user list --name')")).toBe("'user list --name') :; return ;;");
    expect(lineOf(zsh, "'user list --scope')")).toBe("'user list --scope') compadd -- '1' '2'; return ;;");
  });

  it.each([
    ['file', / -F$/m, / _files; known/, '--all --config'],
    [['a', 'b'], / -a 'a b'$/m, /known=\('show:.*' 'a' 'b'\)/, 'a b --all'],
  ] as const)('the argument %j is completed, and no other', (argument, inFish, inZsh, _inBash) => {
    for (const [write, own] of [
      [fishCompletion, inFish],
      [zshCompletion, inZsh],
    ] as const) {
      expect(write([{ ...place, options: [], argument }])).toMatch(own);
      expect(write([{ ...place, options: [] }])).not.toMatch(own);
    }
  });
});

describe.runIf(has('fish'))('in fish', () => {
  it('completes commands, options and choices', () => {
    expect(completeInFish('portcullis se')).toEqual(expect.arrayContaining(['serve', 'sessions']));
    expect(completeInFish('portcullis user list --')).toEqual(expect.arrayContaining(['--name', '--json']));
    expect(completeInFish('portcullis role create clerk --data-scope ')).toEqual(['1', '2', '3', '4', '5']);
  });
});

describe.runIf(has('zsh'))('in zsh', () => {
  it('completes commands and options', () => {
    expect(completeInZsh('portcullis user reset')).toContain('-password');
    expect(completeInZsh('portcullis user list --')).toMatch(
      /--name[\s\S]*only usernames that begin with this/,
    );
  });
});
