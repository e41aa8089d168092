// `portcullis completion`: prints a shell completion script.
import { Argument, type Command } from 'commander';
import { addExamples } from '../../terminal/help.ts';
import { outputOf } from '../../terminal/output.ts';
import { type CommandCompletion, listCompletions } from './command-completions.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { zshCompletion } from './completion-zsh.ts';

const scripts: Readonly<Record<string, (completions: readonly CommandCompletion[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export function addCompletion(program: Command): void {
  const completion = program
    .command('completion')
    .description('Print a script that lets a shell complete commands and options.')
    .addArgument(new Argument('<shell>', 'for which').choices(Object.keys(scripts)))
    .action((shell: string) => {
      const script = scripts[shell]?.(listCompletions(program)) ?? '';
      outputOf(completion).show({ shell, script }, script);
    });
  addExamples(
    completion,
    'echo "source <(portcullis completion bash)" >> ~/.bashrc',
    'echo "source <(portcullis completion zsh)" >> ~/.zshrc',
    'portcullis completion fish > ~/.config/fish/completions/portcullis.fish',
  );
}
