import { setTimeout } from 'node:timers/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Chain } from '@svc/wallet/core'
import type { Hash } from 'viem'
import { createFaultRules, type StandInFault } from '../services/stand-in-server.ts'
import { loadSdks } from './build-call.ts'
import { operations } from './operations.ts'
import { createOrderDesk, type TakenOrder } from './order-desk.ts'
import {
  isOrderTrick,
  type OrderTrick,
  lettingSlip,
  protoShaped,
  tampering,
  thief,
  type TradingTrick,
} from './trading-tricks.ts'

export type { TakenOrder } from './order-desk.ts'
export { type OrderTrick, orderTricks, type TradingTrick, tradingTricks } from './trading-tricks.ts'

/**
 * The trading API on 127.0.0.1, in both of its dialects: its routes (`operations.ts`) answer with transactions that the vendor's SDKs
 * build for the local chain. It wants the key it was given (401), bodies of the documented form (400) and its own chain (404).
 * Faults, those of a service in trouble and those of one that wants the money, are set while it runs.
 */
export async function startTradingApi(options: TradingApiOptions): Promise<TradingApi> {
  const faults = createFaultRules<TradingFault>()
  const asked: TradingRequest[] = []
  const desk = createOrderDesk(options)
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      refuse(response, 500, 'InternalServerError', error instanceof Error ? error.message : 'unknown')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return {
    url: `${base}/v1`,
    lpUrl: base,
    apiKey: options.apiKey,
    asked: () => [...asked],
    setFaults: (rules) => faults.set(rules),
    fillOrders: () => desk.fillOrders(),
    orders: () => desk.orders(),
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parsed(await text(request))
    const route = `${request.method} ${request.url}`
    asked.push({ route, body })
    if (request.headers['x-api-key'] !== options.apiKey) {
      return refuse(response, 401, 'UnauthorizedError', 'Account blocked.')
    }
    const fault = faults.choose(route)
    const trick = typeof fault === 'string' && fault !== 'silent' && !isOrderTrick(fault) ? fault : null
    if (fault === 'silent') return
    if (fault !== null && typeof fault === 'object' && 'slowMs' in fault)
      await setTimeout(fault.slowMs, null, { ref: false })
    else if (fault !== null && typeof fault === 'object') return refuse(response, fault.status, 'Fault', 'A fault.')
    const ordered = await desk.answer(route, body, isOrderTrick(fault) ? fault : null)
    if (ordered !== null) {
      if ('problem' in ordered) return refuse(response, 400, 'RequestValidationError', ordered.problem)
      return say(response, ordered.status, { requestId: `${asked.length}`, ...ordered.body })
    }
    const operation = operations[route]
    if (operation === undefined) return refuse(response, 404, 'ResourceNotFound', 'No such route.')
    const read = operation.read(trick === 'lower-least' ? lettingSlip(body) : body)
    if ('problem' in read) return refuse(response, 400, 'RequestValidationError', read.problem)
    if (read.body.chainId !== options.chain.id) {
      return refuse(response, 404, 'ResourceNotFound', 'No quotes available')
    }
    const { chain, rpcUrl = null, now = Date.now } = options
    const { body: sent } = read
    const terms = {
      recipient: trick === 'foreign-recipient' ? thief : sent.walletAddress,
      deadline: Math.floor(now() / 1000) + answerSeconds,
      isStale: trick === 'stale',
    }
    // Loaded with the first transaction that is asked for; Node keeps what it has loaded.
    const built = await read.build({ sdks: loadSdks(), chain, rpcUrl }, terms)
    if (built === null) return refuse(response, 404, 'ResourceNotFound', 'There is none.')
    if ('offered' in built) {
      return say(response, 200, {
        requestId: `${asked.length}`,
        routing: 'CLASSIC',
        quote: built.offered,
        permitData: trick === 'proto-shaped' ? protoShaped(chain) : null,
      })
    }
    const honest = { ...built, from: sent.walletAddress, chainId: chain.id, gasLimit: '500000' }
    const transaction = { ...honest, ...tampering(trick, built, read) }
    say(response, 200, { requestId: `${asked.length}`, [operation.member]: transaction, gasFee: '0' })
  }
}

export type TradingApiOptions = {
  readonly chain: Chain
  readonly apiKey: string
  /** Of the chain, for the routes that read it: without, they answer 500. */
  readonly rpcUrl?: string
  /** Unix milliseconds. */
  readonly now?: () => number
  /** Whether orders are filled as soon as they come; else when `fillOrders` is called. */
  readonly fillsAtOnce?: boolean
}

export type TradingRequest = { readonly route: string; readonly body: unknown }

export type TradingApi = {
  /** The base of its routes, and of those in its newer dialect. */
  readonly url: string
  readonly lpUrl: string
  readonly apiKey: string
  /** Every request so far, in order. */
  asked(): readonly TradingRequest[]
  setFaults(rules: readonly StandInFault<TradingFault>[]): void
  /** Has a filler answer every order that was taken and is not filled, and gives the hash of the transaction of each, `null` where the reactor refused it. */
  fillOrders(): Promise<readonly (Hash | null)[]>
  /** The orders that were taken. */
  orders(): readonly TakenOrder[]
  stop(): Promise<void>
}

/** Those of a service in trouble. */
export type TradingOutage = { readonly status: number } | { readonly slowMs: number } | 'silent'

export type TradingFault = TradingOutage | TradingTrick | OrderTrick

/** How long its transactions hold. */
const answerSeconds = 300

function parsed(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

/** As both dialects do: the newer one says `code` and `message`. */
function refuse(response: ServerResponse, status: number, errorCode: string, detail: string): void {
  const isOfV1 = response.req.url?.startsWith('/v1/') === true
  say(response, status, isOfV1 ? { errorCode, detail } : { code: connectCodes[status] ?? 'internal', message: detail })
}

const connectCodes: Readonly<Record<number, string>> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  404: 'not_found',
}

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
