import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import type * as z from 'zod'
import { createFaultRules, type StandInFault } from '../services/create-fault-rules.ts'
import { buildClaim, buildDecrease, type BuiltCall, type CallTerms } from './build-call.ts'
import { claimBody, decreaseBody } from './requests.ts'
import { loadSdks, type Sdks } from './sdks.ts'

/**
 * The trading API on 127.0.0.1, in its v1 dialect: `POST /lp/claim` and `/lp/decrease` answer with transactions that the vendor's
 * SDKs build for the local chain. It wants the key it was given (401), bodies of the documented form (400) and its own chain (404). Faults, those
 * of a service in trouble and those of one that wants the money, are set while it runs.
 */
export async function startTradingApi(options: TradingApiOptions): Promise<TradingApi> {
  const sdks = loadSdks()
  const faults = createFaultRules<TradingFault>()
  const asked: TradingRequest[] = []
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      refuse(response, 500, 'InternalServerError', error instanceof Error ? error.message : 'unknown')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`,
    apiKey: options.apiKey,
    asked: () => [...asked],
    setFaults: (rules) => faults.set(rules),
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
    if (fault === 'silent') return
    if (fault !== null && typeof fault === 'object') return refuse(response, fault.status, 'Fault', 'A fault.')
    const operation = routes[route]
    if (operation === undefined) return refuse(response, 404, 'ResourceNotFound', 'No such route.')
    const read = operation.read(body)
    if ('problem' in read) return refuse(response, 400, 'RequestValidationError', read.problem)
    if (read.body.chainId !== options.chain.id) {
      return refuse(response, 404, 'ResourceNotFound', 'No quotes available')
    }
    const transaction = answerOf(options, read.body, fault, (terms) => read.build(sdks, options.chain, terms))
    say(response, 200, { requestId: `${asked.length}`, [operation.member]: transaction, gasFee: '0' })
  }
}

const routes: Readonly<Record<string, Operation>> = {
  'POST /v1/lp/claim': operation('claim', claimBody, buildClaim),
  'POST /v1/lp/decrease': operation('decrease', decreaseBody, buildDecrease),
}

/** `member` of the answer holds the transaction. */
function operation<Body extends Asked>(
  member: string,
  form: z.ZodType<Body>,
  build: (sdks: Sdks, chain: Chain, body: Body, terms: CallTerms) => BuiltCall,
): Operation {
  return {
    member,
    read: (content) => {
      const read = form.safeParse(content)
      if (!read.success) return { problem: read.error.issues[0]?.message ?? '' }
      return { body: read.data, build: (sdks, chain, terms) => build(sdks, chain, read.data, terms) }
    },
  }
}

type Operation = {
  readonly member: string
  readonly read: (content: unknown) => AskedCall | { readonly problem: string }
}

type AskedCall = {
  readonly body: Asked
  readonly build: (sdks: Sdks, chain: Chain, terms: CallTerms) => BuiltCall
}

/** What every request says. */
type Asked = { readonly chainId: number; readonly walletAddress: string; readonly tokenId: number }

export type TradingApiOptions = {
  readonly chain: Chain
  readonly apiKey: string
  /** Unix milliseconds. */
  readonly now?: () => number
}

export type TradingRequest = { readonly route: string; readonly body: unknown }

export type TradingApi = {
  /** The base of its routes. */
  readonly url: string
  readonly apiKey: string
  /** Every request so far, in order. */
  asked(): readonly TradingRequest[]
  setFaults(rules: readonly StandInFault<TradingFault>[]): void
  stop(): Promise<void>
}

/** Those of a service in trouble. */
export type TradingOutage = { readonly status: number } | 'silent'

/** Transactions that are not what was asked for. */
export const tradingTricks = [
  'stale',
  'wrong-from',
  'foreign-to',
  'foreign-recipient',
  'extra-approval',
  'inflated-value',
  'other-chain',
  'truncated',
] as const

export type TradingTrick = (typeof tradingTricks)[number]

export type TradingFault = TradingOutage | TradingTrick

const thief = '0x00000000000000000000000000000000000bad00'

function answerOf(
  { chain, now = Date.now }: TradingApiOptions,
  body: Asked,
  trick: TradingTrick | null,
  build: (terms: CallTerms) => BuiltCall,
) {
  const terms: CallTerms = {
    recipient: trick === 'foreign-recipient' ? thief : body.walletAddress,
    deadline: Math.floor(now() / 1000) + answerSeconds,
    isStale: trick === 'stale',
  }
  const built = build(terms)
  const transaction = { ...built, from: body.walletAddress, chainId: chain.id, gasLimit: '500000' }
  return { ...transaction, ...(trick === null ? {} : changes(trick, built, body)) }
}

function changes(trick: TradingTrick, { data }: BuiltCall, { tokenId }: Asked): object {
  const made: Readonly<Record<TradingTrick, object>> = {
    stale: {},
    'foreign-recipient': {},
    'wrong-from': { from: thief },
    'foreign-to': { to: thief },
    'extra-approval': { data: withApproval(data, tokenId) },
    'inflated-value': { value: '1000000000000000000' },
    'other-chain': { chainId: 1 },
    truncated: { data: data.slice(0, -64) },
  }
  return made[trick]
}

/** Beside what was asked for, the position itself is handed to somebody. Both position managers take such a list. */
function withApproval(data: Hex, tokenId: number): Hex {
  const approval = encodeFunctionData({ abi, functionName: 'approve', args: [thief, BigInt(tokenId)] })
  return encodeFunctionData({ abi, functionName: 'multicall', args: [[data, approval]] })
}

const abi = parseAbi([
  'function approve(address to, uint256 tokenId)',
  'function multicall(bytes[] data) payable returns (bytes[] results)',
])

/** How long its transactions hold. */
const answerSeconds = 300

function parsed(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

function refuse(response: ServerResponse, status: number, errorCode: string, detail: string): void {
  say(response, status, { errorCode, detail })
}

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
