/**
 * A foreign sentence as it may be shown and logged: without control and invisible characters, without URLs, since those
 * of endpoints hold keys, without the secrets named, and no longer than 300 characters.
 */
export function plainWords(text: string, secrets: readonly string[] = []): string {
  // Cut first: the patterns are not for texts of any length.
  const withoutUrls = text.slice(0, longest * 4).replaceAll(/[a-z][\w+.-]*:\/\/\S+/gi, '[url]')
  const withoutSecrets = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), withoutUrls)
  return withoutSecrets
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, longest)
}

const longest = 300
