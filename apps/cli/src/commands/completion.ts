import type { Command, Option } from 'commander';
import { CommandFailure } from '../failures/failure.ts';
import type { Invocation } from '../session/session.ts';
import { flagsTakenBy } from '../settings/read-options.ts';

/** `completion`: a script that completes commands and options. */
export function addCompletionCommand(program: Command, invocation: Invocation): void {
  program
    .command('completion')
    .description('print a completion script: eval "$(switchyard completion bash)"')
    .argument('<shell>', 'bash, zsh, fish or powershell')
    .action((shell: string) => {
      const script = scripts[shell];
      if (!script)
        throw new CommandFailure(
          'A2ACLI_ERR_USAGE',
          `There is no completion for ${shell}: use bash, zsh, fish or powershell`,
        );
      invocation.streams.out(script(wordsByPath(program, invocation.otherPrograms)));
    });
}

type Words = ReadonlyMap<string, readonly string[]>;

const scripts: Readonly<Record<string, (words: Words) => string>> = {
  bash: bashScript,
  zsh: (words) =>
    `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`,
  fish: fishScript,
  powershell: powershellScript,
};

/** Words that may follow ` task push-config`, …: names of commands, and long options. */
function wordsByPath(program: Command, otherPrograms: readonly string[]): Words {
  const words = new Map<string, readonly string[]>();
  const visit = (command: Command, path: string): void => {
    const visible = command.commands.map((each) => each.name());
    // A separate program has options of its own.
    const isCommand = visible.length === 0 && !otherPrograms.includes(command.name());
    const general = isCommand ? ['--config', ...flagsTakenBy(path.trim())] : [];
    words.set(path, [...visible, '--help', ...longOptions(command), ...general]);
    for (const each of command.commands) visit(each, `${path} ${each.name()}`);
  };
  visit(program, '');
  return words;
}

function longOptions({ options }: Command): string[] {
  return options.flatMap(({ long, hidden }: Option) => (long && !hidden ? [long] : []));
}

/** The path is the longest prefix of words that are commands; completions are the words that may follow it. */
function bashScript(words: Words): string {
  const paths = [...words.keys()].filter((path) => path !== '').map((path) => `"${path}"`);
  const cases = [...words].map(([path, each]) => `    "${path}") words="${each.join(' ')}" ;;`);
  return `_switchyard() {
  local path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
    ${paths.join(' | ')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _switchyard switchyard
`;
}

/** As in bash: the path of commands so far decides which words may follow. */
function fishScript(words: Words): string {
  const paths = [...words.keys()].filter((path) => path !== '').map((path) => `'${path}'`);
  const cases = [...words].map(([path, each]) => `    case '${path}'\n      printf '%s\\n' ${each.join(' ')}`);
  return `function __switchyard_words
  set -l path ''
  for word in (commandline -opc)[2..-1]
    switch "$path $word"
      case ${paths.join(' ')}
        set path "$path $word"
    end
  end
  switch "$path"
${cases.join('\n')}
  end
end
complete -c switchyard -a '(__switchyard_words)'
`;
}

function powershellScript(words: Words): string {
  const table = [...words].map(([path, each]) => `    '${path}' = '${each.join(' ')}'`);
  return `Register-ArgumentCompleter -Native -CommandName switchyard -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @{
${table.join('\n')}
  }
  $path = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    if ($words.ContainsKey("$path $element")) { $path = "$path $element" }
  }
  $words[$path] -split ' ' | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}
