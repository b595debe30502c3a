import { effect, signal } from '@preact/signals';
import { IconButton } from '../design/button.tsx';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const storedAs = 'switchyard.theme';
const theme = signal<Theme>(themes.find((each) => each === localStorage.getItem(storedAs)) ?? 'system');

effect(() => {
  localStorage.setItem(storedAs, theme.value);
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});

const icons = { system: 'system', light: 'sun', dark: 'moon' } as const;

export function ThemeButton() {
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
  const change = (): void => {
    theme.value = next;
  };
  return <IconButton icon={icons[theme.value]} label={`Colours: ${theme.value}`} onPress={change} />;
}
