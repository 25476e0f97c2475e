import { readFileSync } from 'node:fs'

/** The script of the page, as it was compiled from `client.ts`. */
export function clientSource(): string {
  const source = readFileSync(new URL('../../dist/page/client.js', import.meta.url), 'utf8')
  return source.replaceAll(/^\/\/(\/ <reference|# sourceMappingURL=).*\n?/gm, '')
}
