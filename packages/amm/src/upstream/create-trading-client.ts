import { setTimeout as wait } from 'node:timers/promises'
import type { AmmDeployment, Secret } from '@svc/wallet/core'
import { fetchJson } from '../fetch-json.ts'
import type { GuardUpstream } from '../ports/upstream.ts'
import {
  TradingError,
  type ClaimRequest,
  type ClaimRewardsRequest,
  type CreateRequest,
  type DecreaseRequest,
  type Dialect,
  type Exchange,
  type IncreaseWireRequest,
  type MigrateWireRequest,
  type OfferedQuote,
  type OrderQuote,
  type OrderQuoteWireRequest,
  type OrderWireRequest,
  type QuoteWireRequest,
  type SwapWireRequest,
  type TradingTransaction,
  v1Dialect,
} from './trading-wire.ts'
import { lpDialect } from './lp-dialect.ts'

/**
 * The trading API in either of its dialects. At most three requests start within any second of a key; 429, 503 and 504 are asked again
 * after a pause of random length, nothing else is; a call ends within its time limit, pauses included; after repeated failure the API is
 * not asked for half a minute. What it returns is of the right form and not trusted. Throws `TradingError`.
 */
export function createTradingClient(options: TradingClientOptions): TradingClient {
  const { now = Date.now, sleep = defaultSleep, random = Math.random, timeoutMs = 10_000 } = options
  const circuit = createCircuit({ mostFailures: 5, restMs: 30_000, now })
  const starts: number[] = []

  return {
    claimsRewards: options.dialect !== 'lp',
    claim: async (request) => (await ask((words) => words.claim(request))).claim,
    migrate: async (request) => (await ask((words) => words.migrate(request))).migrate,
    claimRewards: async (request) => (await ask((words) => words.claimRewards(request))).claim,
    decrease: async (request) => (await ask((words) => words.decrease(request))).decrease,
    create: async (request, pool) => (await ask((words) => words.create(request, pool))).create,
    increase: async (request) => (await ask((words) => words.increase(request))).increase,
    quote: async (request, router) => (await ask((words) => words.quote(request), ofRouter(router))).quote,
    orderQuote: async (request) => (await ask((words) => words.orderQuote(request))).quote,
    order: async (request) => {
      await ask((words) => words.order(request))
    },
    swap: async (request, router) => (await ask((words) => words.swap(request), ofRouter(router))).swap,
  }

  async function ask<Answer>(
    words: (dialect: Dialect) => Exchange<Answer>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const { route, requestForm, answerForm, request } = words(options.dialect === 'lp' ? lpDialect : v1Dialect)
    const sent = requestForm.safeParse(request)
    if (!sent.success) throw new TradingError('refused', 'cannot be asked for this', sent.error)
    if (!circuit.mayAsk()) throw new TradingError('resting', 'has failed repeatedly and is not asked for a while')
    try {
      const answer = answerForm.safeParse(
        await exchange({ route, headers }, JSON.stringify(sent.data), now() + timeoutMs),
      )
      if (!answer.success) throw new TradingError('down', 'answered in another form', answer.error)
      circuit.succeeded()
      return answer.data
    } catch (error) {
      const kind = error instanceof TradingError ? error.kind : 'down'
      if (kind === 'refused' || kind === 'none') circuit.succeeded()
      // What never left says nothing of the API.
      else if (kind !== 'resting') circuit.failed()
      throw error
    }
  }

  async function exchange({ route, headers }: Place, content: string, endsAt: number): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      await pauseUntil(reserveStart(endsAt), endsAt)
      const said = await fetchJson(
        {
          url: `${options.url}${route}`,
          headers: { ...headers, 'x-api-key': options.apiKey.reveal() },
          fetch: options.fetch ?? globalThis.fetch,
          timeoutMs: endsAt - now(),
          mostBytes,
          mostValues,
        },
        content,
      )
      if ('failed' in said) throw new TradingError('down', `did not answer (${said.failed})`, said.cause)
      const { status, body } = said
      if (status >= 200 && status < 300) return body
      if (!mayPass.has(status) || attempt === mostAttempts) throw failureOf(status)
      await pauseUntil(now() + basePauseMs * 2 ** (attempt - 1) * (0.5 + random()), endsAt)
    }
  }

  /** The time at which the next request may start: a second after the third last one. Nobody takes a turn that comes too late. */
  function reserveStart(endsAt: number): number {
    const [thirdLast = -Infinity] = starts.length < perSecond ? [] : starts
    const start = Math.max(now(), thirdLast + 1_000)
    if (start >= endsAt) throw new TradingError('resting', 'is asked for too much at once')
    if (starts.length === perSecond) starts.shift()
    starts.push(start)
    return start
  }

  async function pauseUntil(at: number, endsAt: number): Promise<void> {
    if (at >= endsAt) throw new TradingError('down', `did not answer within ${timeoutMs} ms`)
    const pauseMs = at - now()
    if (pauseMs > 0) await sleep(pauseMs)
  }
}

export type TradingClientOptions = {
  readonly apiKey: Secret
  /** Without a slash at its end. */
  readonly url: string
  /** `v1` unless given. */
  readonly dialect?: 'v1' | 'lp' | undefined
  readonly fetch?: typeof fetch | undefined
  /** Of a whole call, its pauses and attempts included; ten seconds unless given. */
  readonly timeoutMs?: number | undefined
  /** Milliseconds. */
  readonly now?: (() => number) | undefined
  readonly sleep?: ((ms: number) => Promise<void>) | undefined
  /** From 0 up to 1. */
  readonly random?: (() => number) | undefined
}

export type TradingClient = {
  /** A transaction that collects what a position is owed. */
  claim(request: ClaimRequest): Promise<TradingTransaction>
  /** A transaction that moves a v3 position into a v4 pool; the router must be allowed to use the position. */
  migrate(request: MigrateWireRequest): Promise<TradingTransaction>
  /** A transaction that claims the rewards of a wallet in some tokens; `none` where nothing is claimable. */
  claimRewards(request: ClaimRewardsRequest): Promise<TradingTransaction>
  /** Whether its dialect has words for that. */
  readonly claimsRewards: boolean
  /** A transaction that takes liquidity out of a position and pays out all that it is owed. */
  decrease(request: DecreaseRequest): Promise<TradingTransaction>
  /** A transaction that opens a position, and its pool where that is missing; `pool` is its address or id. */
  create(request: CreateRequest, pool: string): Promise<TradingTransaction>
  /** A transaction that adds to a position. */
  increase(request: IncreaseWireRequest): Promise<TradingTransaction>
  /** The best trade that it finds; `none` where it finds none. */
  quote(request: QuoteWireRequest, router: RouterVersion): Promise<OfferedQuote>
  /** A transaction of the universal router that makes a trade as it was quoted. */
  swap(request: SwapWireRequest, router: RouterVersion): Promise<TradingTransaction>
  /** The best order that its fillers would answer; `none` where they would answer none. */
  orderQuote(request: OrderQuoteWireRequest): Promise<OrderQuote>
  /** Hands a signed order to its fillers. */
  order(request: OrderWireRequest): Promise<void>
}

/** A trading API, and what takes its transactions apart. */
export type TradingRoutePorts = { readonly client: TradingClient; readonly guard: GuardUpstream }

type Place = { readonly route: string; readonly headers: Readonly<Record<string, string>> }

/** Which router the calls are for: the forms of its swaps differ. There is no name for 2.1.0, which only a local chain has. */
function ofRouter(version: RouterVersion): Readonly<Record<string, string>> {
  return { 'x-universal-router-version': version === '2.1.0' ? '2.0' : version }
}

type RouterVersion = NonNullable<AmmDeployment['universalRouter']>['version']

const perSecond = 3
const mostAttempts = 3
const basePauseMs = 400
const mayPass: ReadonlySet<number> = new Set([429, 503, 504])
const mostBytes = 1024 * 1024
const mostValues = 10_000

function failureOf(status: number): TradingError {
  if (status === 401 || status === 403) return new TradingError('key', 'does not take the key')
  if (status >= 500 || status === 429) return new TradingError('down', `answered with status ${status}`)
  if (status === 404) return new TradingError('none', 'knows of none of what was asked for')
  return new TradingError('refused', `refused the request with status ${status}`)
}

async function defaultSleep(ms: number): Promise<void> {
  await wait(ms)
}

/**
 * Remembers whether a service answers. After `mostFailures` in a row it is left alone for `restMs`; then one caller at a time
 * may ask again, and the first that succeeds closes the circuit.
 */
function createCircuit({ mostFailures, restMs, now }: CircuitOptions): Circuit {
  let failures = 0
  let restsUntil = 0
  return {
    mayAsk() {
      if (failures < mostFailures) return true
      if (now() < restsUntil) return false
      restsUntil = now() + restMs
      return true
    },
    succeeded() {
      failures = 0
    },
    failed() {
      failures += 1
      if (failures >= mostFailures) restsUntil = now() + restMs
    },
  }
}

type CircuitOptions = {
  readonly mostFailures: number
  readonly restMs: number
  /** Milliseconds. */
  readonly now: () => number
}

type Circuit = {
  /** Whether to ask now. Who was let through reports how it went. */
  mayAsk(): boolean
  succeeded(): void
  failed(): void
}
