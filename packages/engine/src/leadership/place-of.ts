import { hostname } from 'node:os'

/** Names a data directory among those of all machines. */
export function placeOf(dataDir: string): string {
  return `${hostname()}:${dataDir}`
}
