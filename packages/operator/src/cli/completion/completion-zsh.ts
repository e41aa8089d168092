// The completion script for zsh.
import { listSteps, type Place, quote } from './completion-places.ts';

export function zshCompletion(places: readonly Place[]): string {
  return `#compdef portcullis
# Completion of portcullis for zsh. Load it after compinit with: source <(portcullis completion zsh)
_portcullis() {
  local at= word
  local -a known options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${listSteps(places).map(quote).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${places.flatMap(casesOfOptions).join('\n')}
  esac
  case "$at" in
${places.map(caseOfPlace).join('\n')}
  esac
  _describe 'command' known
  _describe -o 'option' options
}
if [ "\${funcstack[1]}" = _portcullis ]; then _portcullis "$@"; else compdef _portcullis portcullis; fi
`;
}

function casesOfOptions({ words, options }: Place): string[] {
  return options
    .filter(({ value }) => value !== 'none')
    .map(({ name, value }) => {
      const complete =
        value === 'file' ? '_files' : typeof value === 'string' ? ':' : `compadd -- ${quoteAll(value)}`;
      return `    ${quote(`${words} ${name}`)}) ${complete}; return ;;`;
    });
}

function caseOfPlace({ words, commands, options, argument }: Place): string {
  const known = [...commands.map(describe), ...(typeof argument === 'string' ? [] : argument)];
  const files = argument === 'file' ? ' _files;' : '';
  return `    ${quote(words)})${files} known=(${quoteAll(known)}) options=(${quoteAll(options.map(describe))}) ;;`;
}

const quoteAll = (texts: readonly string[]) => texts.map(quote).join(' ');

function describe({ name, description }: { readonly name: string; readonly description: string }): string {
  return `${name}:${description.replaceAll(':', '\\:')}`;
}
