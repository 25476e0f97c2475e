import { ApiError } from '../errors.ts'

/** A check of the `Host` header against loopback and the allowed names: what is rebound to us by DNS shows itself there. */
export function requireHost(allowedHosts: readonly string[]): (host: string | undefined) => void {
  const names = new Set([...loopback, ...allowedHosts].flatMap((name) => nameIn(name) ?? []))
  const accepted = new Set<string>()
  return (host = '') => {
    // Clients repeat their spelling with every request.
    if (accepted.has(host)) return
    const name = nameIn(host)
    if (name === null || !names.has(name))
      throw new ApiError('HOST_NOT_ALLOWED', 'The Host header names another service.')
    if (accepted.size < 64) accepted.add(host)
  }
}

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** The name in small letters, an IPv6 address as URLs spell it; `null` for all but `host` and `host:port`. */
function nameIn(host: string): string | null {
  const name = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase()
  if (name === undefined || !URL.canParse(`http://${host}`)) return null
  return name.startsWith('[') ? new URL(`http://${name}`).hostname : name
}
