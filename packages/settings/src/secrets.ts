import { readSettingFile } from './files/setting-file.ts';

type SecretFile = 'REDIS_PASSWORD_FILE' | 'PUSH_SECRET_FILE' | 'FILES_SECRET_FILE';

interface SettingsWith<Name extends string> {
  readonly values: { readonly [name in Name]: string | undefined };
  check<T>(name: Name, read: () => T): T | undefined;
}

/** The secret in the file that a setting names; undefined: it names none, or one that cannot be read. */
export function readSecret<Name extends SecretFile>(
  settings: SettingsWith<NoInfer<Name>>,
  name: Name,
): string | undefined {
  const { [name]: file } = settings.values;
  return settings.check(name, () => {
    const secret = file && readSettingFile(file).toString().trim();
    if (secret === '') throw new Error(`${file} is empty`);
    return secret;
  });
}
