import { type SearchTerm, searchTerms } from '@switchyard/operator-api';

interface SearchHelpProps {
  /** What was typed. */
  readonly text: string;
  readonly onInput: (text: string) => void;
}

/** The terms of the search, or the values of the one that is being typed. A click adds it. */
export function SearchHelp({ text, onInput }: SearchHelpProps) {
  const word = /\S*$/.exec(text)?.[0] ?? '';
  const typed = searchTerms.find(({ name }) => word.startsWith(`${name}:`));
  const add = (part: string): void => onInput(text.slice(0, text.length - word.length) + part);
  if (typed?.values)
    return (
      <div class="search-help">
        <p class="faint">
          <code>{typed.name}:</code> {typed.about}
        </p>
        <div class="search-values">
          {typed.values.map((value) => (
            <TermButton key={value} text={`${typed.name}:${value}`} onPress={() => add(`${typed.name}:${value} `)} />
          ))}
        </div>
      </div>
    );
  return (
    <ul class="search-help" aria-label="Terms of the search">
      {searchTerms
        .filter(({ name }) => word.includes(':') || name.startsWith(word))
        .map((term) => (
          <TermLine key={term.name} term={term} onPress={() => add(term.start)} />
        ))}
      <li class="faint">A word without a colon is a task’s id. Terms are combined: all of them must match.</li>
    </ul>
  );
}

function TermLine({ term: { start, about }, onPress }: { readonly term: SearchTerm; readonly onPress: () => void }) {
  return (
    <li>
      <TermButton text={start} onPress={onPress} />
      <span class="faint">{about}</span>
    </li>
  );
}

function TermButton({ text, onPress }: { readonly text: string; readonly onPress: () => void }) {
  return (
    <button type="button" class="term-button mono" onClick={onPress}>
      {text}
    </button>
  );
}
