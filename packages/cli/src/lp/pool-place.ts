import * as z from 'zod'
import { UsageError } from '../usage-error.ts'
import type { Tools } from './ask-tools.ts'
import { parseFee } from '../parse-words-and-flags.ts'

/** A pool as the words of a call name it: by its id, or as the pool of a pair, of any fee unless one is named. */
export function readPoolPlace(flags: PoolPlaceFlags): PoolPlace {
  const { chain, pool, pair, base, fee } = flags
  if (chain === undefined)
    throw new UsageError('a pool needs --chain with the name or id of one, such as base or 8453, or local')
  if (pool !== undefined) {
    refuse(pair, '--pair', 'a pool has a pair of its own')
    refuse(fee, '--fee', 'a pool has a fee of its own')
    if (base !== undefined && !/^[01]$/.test(base))
      throw new UsageError(`--base takes 0 or 1, not "${base.slice(0, 40)}"`)
    return { chain, pool, isTurned: base === '1' }
  }
  const [, token0, token1] = /^([^/\s]+)\/([^/\s]+)$/.exec(pair ?? '') ?? []
  if (token0 === undefined || token1 === undefined) {
    throw new UsageError('a chain needs --pair, such as WETH/USDC, or --pool with the address or id of one')
  }
  refuse(base, '--base', 'of --pair it is the first token whose price is meant')
  const pips = parseFee(fee)
  return { chain, token0, token1, ...(pips === undefined ? {} : { fee: pips }) }
}

export const poolPlaceFlags = ['chain', 'pool', 'data-dir'] as const

export type PoolPlaceFlags = Readonly<Partial<Record<'chain' | 'pool' | 'pair' | 'base' | 'fee', string>>>

export type PoolPlace =
  | { readonly chain: string; readonly pool: string; readonly isTurned: boolean }
  | { readonly chain: string; readonly token0: string; readonly token1: string; readonly fee?: number }

/** The same in the members that the tools take; a v2 pair too, which they refuse in words of their own. Throws as `get_pool_info` refuses. */
export async function namePair(tools: Tools, place: PoolPlace): Promise<NamedPair> {
  if (!('pool' in place)) return place
  const { chain, pool, isTurned } = place
  const found = await tools.call('get_pool_info', { chain, pool }, poolForm).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error
    return tools.call('get_pool_info', { chain, pool, version: 'v2' }, poolForm).catch(() => Promise.reject(error))
  })
  const { token0, token1 } = found.read
  const [first, second] = isTurned ? [token1, token0] : [token0, token1]
  return { chain, pool, token0: first.address, token1: second.address }
}

export type NamedPair = {
  readonly chain: string
  readonly token0: string
  readonly token1: string
  readonly fee?: number
  readonly pool?: string
}

const token = z.object({ address: z.string() })
const poolForm = z.object({ token0: token, token1: token })

function refuse(text: string | undefined, flag: string, reason: string): void {
  if (text !== undefined) throw new UsageError(`${flag} has no place here: ${reason}`)
}

/**
 * The file of bars that a call is about; `null` where `--chain` or `--pool` says that it is about a pool of a chain. Throws `UsageError`
 * for neither, both, two files, and for flags that mean nothing there, with the reason.
 */
export function fileOrPool(command: string, words: readonly string[], flags: PlaceFlags): string | null {
  const [file, more] = words
  const isOfPool = flags.chain !== undefined || flags.pool !== undefined
  if (isOfPool ? file !== undefined : file === undefined || more !== undefined) {
    throw new UsageError(
      `svc lp ${command} takes one CSV file of bars, or --chain and with it --pair A/B or --pool ID`,
      { seeHelp: true },
    )
  }
  refuseFlags(flags, isOfPool ? ofFilesAlone : ofPoolsAlone)
  return isOfPool ? null : (file ?? null)
}

/** Throws `UsageError` for the first flag that was given and means nothing here. */
export function refuseFlags(flags: object, reasons: Readonly<Record<string, string>>): void {
  for (const [name, reason] of Object.entries(reasons)) {
    if (Object.hasOwn(flags, name)) throw new UsageError(`--${name} has no place here: ${reason}`)
  }
}

/** Flags that only a file needs, and why. */
const ofFilesAlone = {
  decimals: 'the chain tells the decimals of tokens',
  'tick-spacing': 'the chain tells it of a pool',
  'protocol-fee-pct': 'the chain tells it of a pool',
  'quote-usd': 'prices in dollars are read from the chain',
  'gas-usd': 'gas costs what it costs on the chain',
  'bar-seconds': 'the past of a pool is read in hours',
  'block-seconds': 'it is known of every chain',
}

const ofPoolsAlone = {
  'data-dir': 'a file needs no settings',
  start: 'a file is replayed as a whole',
  end: 'a file is replayed as a whole',
}

type PlaceFlags = { readonly chain?: string; readonly pool?: string }
