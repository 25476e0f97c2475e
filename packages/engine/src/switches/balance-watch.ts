import type { Ledger, Outflow } from '@svc/store'
import { type Chain, createMutex, type Journal, type JournalEntry } from '@svc/wallet/core'
import { type Address, type Hash, isAddressEqual, parseTransaction, zeroAddress } from 'viem'
import { gasWorth } from '../spending/gas.ts'
import { type NativePrices, type PricedTokens, priceTokens, trustedWorth } from '../value/spend-value.ts'
import { join } from 'node:path'
import * as z from 'zod'
import { erc20Abi } from '@svc/amm/abis'
import { type BalanceSample, hasFallen, samplesWithin, type WorthNow, withSample } from './balance-samples.ts'
import { type CircuitBreaker, openBreaker } from './circuit-breaker.ts'
import type { Policy } from '../policy/policy.ts'
import { readFileIfPresent, replaceFileDurably } from '@svc/runtime'
import type { PipelineLog } from '../call/refusal.ts'
import type { ChainDirectory, PriceBand, PriceSource, RpcPool, TokenDirectory } from '@svc/amm'
import type { SwitchRecorder } from './switch-recorder.ts'
import { bandWidthBps } from '../value/trusted-value.ts'

/**
 * Watches how much the wallet holds on each chain it writes on (native currency and listed tokens) and opens the breaker
 * when that falls within the window by more than the policy allows other than by what was spent on record, gas included: all
 * of it together, or native currency alone, which a large sum of tokens would hide. Amounts are compared, all at the trusted
 * prices of now, so that no price opens it; a token whose sources lie further apart than the policy allows is left out, and so is
 * what it held in a block that another has replaced.
 * Before a write it asks at most once a minute, in one batched request, with prices it has; without such
 * the answer is judged behind the write. What cannot be read or priced opens nothing. The samples outlive the process in
 * `balances.json`; those from before the breaker was re-armed do not count.
 */
export function createBalanceWatch(engine: WatchParts): BalanceWatch {
  const watched = new Map<number, Watched>()
  let behind: Promise<unknown> = Promise.resolve()
  const inTurn = createMutex()
  const quietly = (chain: Chain, work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => engine.log.warn('balances.unwatched', { chainId: chain.id, error }))
  const isDue = (chain: Chain): boolean => {
    const lookedAt = watched.get(chain.id)?.lookedAt ?? -Infinity
    return Math.abs(engine.now() - lookedAt) >= lookEveryMs
  }
  const look = async (chain: Chain): Promise<BalanceSample> => {
    const at = engine.now()
    watched.set(chain.id, { prices: null, pricedAt: 0, ...watched.get(chain.id), lookedAt: at })
    const [amounts, { number, hash }] = await Promise.all([
      readHoldings(engine, chain),
      engine.rpc.client(chain).getBlock(),
    ])
    return { at, amounts, block: { number, hash } }
  }
  const price = async (chain: Chain): Promise<PricedTokens> => {
    const { tokens: directory, prices, rpc, nativePrices, now } = engine
    const context = { directory, prices, rpc, chain, nativePrices, now }
    const priced = await priceTokens(tokensOf(chain), context)
    watched.set(chain.id, { lookedAt: now(), ...watched.get(chain.id), prices: priced, pricedAt: now() })
    return priced
  }
  const judge = (chain: Chain, held: BalanceSample, priced: PricedTokens) =>
    inTurn(() => weigh(engine, chain, held, priced))

  return Object.freeze({
    beforeWrite: (chain: Chain) =>
      quietly(chain, async () => {
        if (!isDue(chain)) return
        const held = await look(chain)
        const { prices = null, pricedAt = 0 } = watched.get(chain.id) ?? {}
        if (prices !== null && Math.abs(engine.now() - pricedAt) < pricesLastMs) return judge(chain, held, prices)
        behind = quietly(chain, async () => judge(chain, held, await price(chain)))
      }),
    async sweep() {
      await behind
      const known = await readSamples(engine.dataDir).catch(() => new Map<string, readonly BalanceSample[]>())
      for (const chain of engine.chains.list()) {
        if (!watched.has(chain.id) && !known.has(placeOf(engine, chain))) continue
        if (!isDue(chain)) continue
        await quietly(chain, async () => {
          const [held, priced] = await Promise.all([look(chain), price(chain)])
          await judge(chain, held, priced)
        })
      }
    },
  })
}

export type BalanceWatch = {
  /** Never rejects. */
  beforeWrite(chain: Chain): Promise<void>
  /** Looks at every chain whose turn it is. Never rejects. */
  sweep(): Promise<void>
}

export type WatchParts = {
  readonly policy: () => Policy
  readonly breaker: CircuitBreaker
  readonly switches: SwitchRecorder
  readonly nativePrices: NativePrices
  readonly chains: ChainDirectory
  readonly rpc: RpcPool
  readonly tokens: TokenDirectory
  readonly prices: PriceSource
  readonly senders: (chain: Chain) => { readonly address: Address }
  readonly journal: Pick<Journal, 'open' | 'refused' | 'byHash'>
  readonly ledger: Ledger
  readonly dataDir: string
  /** Unix milliseconds. */
  readonly now: () => number
  readonly log: PipelineLog
}

type Watched = { readonly lookedAt: number; readonly prices: PricedTokens | null; readonly pricedAt: number }

/** A wallet is not looked at more often. */
const lookEveryMs = 60_000

/** Prices older than this are looked up anew. */
const pricesLastMs = 150_000

/** So soon after a spend an endpoint may still show what was before it: such a sample is judged, but not kept. */
const settledForMs = 5_000

async function weigh(engine: WatchParts, chain: Chain, held: BalanceSample, priced: PricedTokens): Promise<void> {
  const { journal, ledger, breaker, dataDir } = engine
  const { breaker: limits, maxPriceBandBps } = engine.policy()
  const { maxBalanceDropPct, windowMinutes } = limits
  const windowMs = windowMinutes * 60_000
  const { open, rearmed } = await breaker.status()
  if (open) return
  const place = placeOf(engine, chain)
  const all = await readSamples(dataDir)
  const since = rearmed === null ? 0 : Date.parse(rearmed.at)
  const samples = samplesWithin(all.get(place) ?? [], held.at, windowMs).filter(({ at }) => at > since)
  // Read after the balances: whatever had left by then is reserved, settled, or gas that nothing was reserved for.
  const { address } = engine.senders(chain)
  const gas = await unreservedGas({ journal, ledger, chainId: chain.id, wallet: address }, priced)
  const booked = await ledger.outflows(chain.id, Math.min(held.at - settledForMs, samples[0]?.at ?? held.at))
  const outflows = [...gas, ...booked]
  const worth: WorthNow = (token, amount) =>
    isWide(priced.get(token)?.band, maxPriceBandBps) ? null : trustedWorth(token, amount, priced)
  const ofNative: WorthNow = (token, amount) => (token === zeroAddress ? gasWorth(amount, priced) : null)
  const fellFrom = (then: BalanceSample, of: WorthNow) => hasFallen([then], held, outflows, maxBalanceDropPct, of)
  const higher = samples.filter((then) => fellFrom(then, worth) || fellFrom(then, ofNative))
  const isGone = await Promise.all(higher.map((then) => isReplaced(engine, chain, then)))
  const gone = new Set(higher.filter((_then, index) => isGone[index]))
  const standing = higher.filter((then) => !gone.has(then))
  const allFell = standing.some((then) => fellFrom(then, worth))
  if (standing.length > 0) {
    const what = allFell ? 'what the wallet holds' : `the ${chain.nativeCurrency.symbol} the wallet holds`
    const cause = `${what} on ${chain.name} fell by more than ${maxBalanceDropPct} % within ${windowMinutes} min, other than by what was spent on record`
    await openBreaker(engine, cause, 'balance')
    return
  }
  // What was begun longer ago than the window may stay open for good, as where a receipt cannot be read.
  const reserved = (await ledger.open()).filter(({ chainId }) => chainId === chain.id)
  const begunAt = [...reserved.map(({ reservedAt }) => reservedAt), ...gas.map(({ signedAt }) => signedAt)]
  if (begunAt.some((at) => at > held.at - windowMs)) return
  if (booked.some(({ settledAt }) => settledAt !== null && settledAt >= held.at - settledForMs)) return
  const left = samples.filter((then) => !gone.has(then))
  await writeSamples(dataDir, new Map(all).set(place, withSample(left, held, windowMs, worth)))
}

/** Whether another block stands where a sample was taken: what the wallet held there, such as a gift, it never held. */
async function isReplaced({ rpc }: WatchParts, chain: Chain, { block }: BalanceSample): Promise<boolean> {
  if (block === undefined) return false
  const { hash } = await rpc.client(chain).getBlock({ blockNumber: block.number })
  return hash !== block.hash
}

/** A wallet with another key starts with samples of its own. */
function placeOf({ senders }: WatchParts, chain: Chain): string {
  return `${chain.id}:${senders(chain).address.toLowerCase()}`
}

/** Reads of one tick travel in one request. */
async function readHoldings({ rpc, senders }: WatchParts, chain: Chain): Promise<ReadonlyMap<string, bigint>> {
  const client = rpc.client(chain)
  const { address } = senders(chain)
  const read = (token: Address): Promise<bigint> =>
    token === zeroAddress
      ? client.getBalance({ address })
      : client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] })
  return new Map(
    await Promise.all(tokensOf(chain).map(async (token) => [token.toLowerCase(), await read(token)] as const)),
  )
}

function tokensOf(chain: Chain): readonly Address[] {
  return [zeroAddress, ...chain.tokens.map(({ address }) => address)]
}

function isWide(band: PriceBand | null | undefined, maxPriceBandBps: number): boolean {
  return band != null && bandWidthBps(band) > maxPriceBandBps
}

const integer = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)
const placeSchema = z.string().regex(/^\d{1,16}:0x[0-9a-f]{40}$/)
const blockSchema = z.object({ number: integer, hash: z.string() }).optional()
const samplesSchema = z.array(
  z.object({ at: z.number().min(0), amounts: z.record(z.string(), integer), block: blockSchema }),
)

/**
 * What makes no sense counts as absent, each place by itself, and so do the dollars of versions before amounts were kept:
 * without samples there is nothing to fall from, and new ones come.
 */
async function readSamples(dataDir: string): Promise<ReadonlyMap<string, readonly BalanceSample[]>> {
  const text = await readFileIfPresent(join(dataDir, fileName))
  if (text === null) return new Map()
  return new Map(
    membersOf(text).flatMap(([place, written]) => {
      const samples = samplesSchema.safeParse(written)
      if (!samples.success || !placeSchema.safeParse(place).success) return []
      return [
        [
          place,
          samples.data.map(({ at, amounts, block }) => ({ at, amounts: new Map(Object.entries(amounts)), block })),
        ],
      ]
    }),
  )
}

function membersOf(text: string): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(z.record(z.string(), z.unknown()).parse(JSON.parse(text)))
  } catch {
    return []
  }
}

async function writeSamples(dataDir: string, all: ReadonlyMap<string, readonly BalanceSample[]>): Promise<void> {
  const file = Object.fromEntries(
    [...all].map(([place, samples]) => [
      place,
      samples.map(({ at, amounts, block }) => ({
        at,
        amounts: Object.fromEntries([...amounts].map(([token, amount]) => [token, `${amount}`])),
        ...(block && { block: { number: `${block.number}`, hash: block.hash } }),
      })),
    ]),
  )
  await replaceFileDurably(join(dataDir, fileName), JSON.stringify(file))
}

const fileName = 'balances.json'

/**
 * Gas that may have left a wallet and stands in no row of the ledger yet, at its worst: of transactions that draw on no
 * reservation (allowances revoked, nonces used up, calls cancelled) and are out, or mined and not counted. Of several
 * attempts at a nonce the dearest. Nothing where native currency has no price. Ask it before `outflows`: what is counted
 * in between is then counted twice, never left out.
 */
async function unreservedGas(
  parts: UnreservedGasParts,
  priced: PricedTokens,
): Promise<readonly (Outflow & Pick<JournalEntry, 'signedAt'>)[]> {
  const { journal, ledger, chainId, wallet } = parts
  const out = [...(await journal.open(chainId, wallet)), ...(await journal.refused(chainId, wallet))]
  const uncounted = await ledger.uncountedGas(chainId)
  const mined = await Promise.all(uncounted.map(({ hash }) => journal.byHash(hash as Hash)))
  const dearest = new Map<number, { readonly wei: bigint; readonly signedAt: number }>()
  for (const entry of [...out.filter(({ reservationId }) => reservationId === null), ...mined]) {
    if (entry === null || !isAddressEqual(entry.from, wallet)) continue
    const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(entry.rawTransaction)
    const wei = gas * maxFeePerGas
    const { signedAt } = entry
    if (wei >= (dearest.get(entry.nonce)?.wei ?? 0n)) dearest.set(entry.nonce, { wei, signedAt })
  }
  return [...dearest.values()].flatMap(({ wei, signedAt }) => {
    const usdMicros = gasWorth(wei, priced)
    return usdMicros === null ? [] : [{ usdMicros, amounts: null, settledAt: null, signedAt }]
  })
}

type UnreservedGasParts = {
  readonly journal: Pick<Journal, 'open' | 'refused' | 'byHash'>
  readonly ledger: Pick<Ledger, 'uncountedGas'>
  readonly chainId: number
  readonly wallet: Address
}
