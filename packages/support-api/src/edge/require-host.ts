import { ApiError } from '../api-error.ts'

/** A check of the `Host` header against loopback and the allowed names: what is rebound to us by DNS shows itself there. */
export function requireHost(allowedHosts: readonly string[]): (host: string | undefined) => void {
  const names = new Set([...loopback, ...allowedHosts.map((name) => name.toLowerCase())])
  const accepted = new Set<string>()
  return (host = '') => {
    // Clients repeat their spelling with every request.
    if (accepted.has(host)) return
    if (!names.has(nameIn(host))) throw new ApiError('HOST_NOT_ALLOWED', 'The Host header names another service.')
    if (accepted.size < 64) accepted.add(host)
  }
}

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** As URLs spell it; empty when it holds none. */
function nameIn(host: string): string {
  return /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : ''
}
