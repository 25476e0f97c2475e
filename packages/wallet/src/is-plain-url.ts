/** Whether it is a URL with http or https that carries neither user nor password: its requests have a token of their own. */
export function isPlainUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

export const plainUrl = 'a URL with http or https, without user and password'
