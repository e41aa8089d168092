// The shell completion script for zsh.
import { type CommandCompletion, listSteps, quote } from './command-completions.ts';

export function zshCompletion(completions: readonly CommandCompletion[]): string {
  return `#compdef portcullis
# Completion of portcullis for zsh. Load it after compinit with: source <(portcullis completion zsh)
_portcullis() {
  local at= word
  local -a known options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${listSteps(completions).map(quote).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${completions.flatMap(casesOfOptions).join('\n')}
  esac
  case "$at" in
${completions.map(caseOfCommand).join('\n')}
  esac
  _describe 'command' known
  _describe -o 'option' options
}
if [ "\${funcstack[1]}" = _portcullis ]; then _portcullis "$@"; else compdef _portcullis portcullis; fi
`;
}

function casesOfOptions({ words, options }: CommandCompletion): string[] {
  return options
    .filter(({ value }) => value !== 'none')
    .map(({ name, value }) => {
      const complete =
        value === 'file' ? '_files' : typeof value === 'string' ? ':' : `compadd -- ${quoteAll(value)}`;
      return `    ${quote(`${words} ${name}`)}) ${complete}; return ;;`;
    });
}

function caseOfCommand({ words, commands, options, argument }: CommandCompletion): string {
  const known = [...commands.map(describe), ...(typeof argument === 'string' ? [] : argument)];
  const files = argument === 'file' ? ' _files;' : '';
  return `    ${quote(words)})${files} known=(${quoteAll(known)}) options=(${quoteAll(options.map(describe))}) ;;`;
}

const quoteAll = (texts: readonly string[]) => texts.map(quote).join(' ');

function describe({ name, description }: { readonly name: string; readonly description: string }): string {
  return `${name}:${description.replaceAll(':', '\\:')}`;
}
