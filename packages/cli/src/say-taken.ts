import type { ServerSettings } from './server-settings.ts'

/** Says on stderr, in one line, what a command took from a local world's directory because nobody named it. */
export function sayTaken({ worldChains, wallet }: Pick<ServerSettings, 'worldChains' | 'wallet'>): void {
  const taken = [
    ...(worldChains === null ? [] : [`chains from ${worldChains.path}`]),
    ...(wallet === null || wallet.from === null ? [] : [`wallet ${wallet.address} from ${wallet.from}`]),
  ]
  if (taken.length > 0) process.stderr.write(`Local world: ${taken.join(', ')}.\n`)
}
