import { createHash } from 'node:crypto'
import { chains } from '@svc/wallet/core'
import { http, HttpResponse } from 'msw'
import { formatEther, getAddress, isAddress, type Address, type Hash } from 'viem'
import {
  baseUrl,
  createFaultRules,
  handlerSet,
  type HandlerSet,
  requireOptions,
  problem,
  type Problem,
  readJson,
} from './handler-set.ts'

/**
 * The faucet of the support API: one grant of 0.01 per wallet and chain, 409 for whoever asks again, until what it holds
 * is spent. Claim ids and hashes follow from the seed; `onGrant` may really send, and its hash is reported then.
 */
export function faucetHandlers(options: FaucetOptions): FaucetHandlers {
  requireOptions('faucetHandlers', options, { apiUrl: baseUrl('http://api.test') })
  const { appId = null, seed = 'svc', now = () => firstMoment, onGrant } = options
  const chainIds = options.chainIds ?? chains.filter(({ faucet }) => faucet).map(({ id }) => id)
  const base = `${options.apiUrl.replace(/\/+$/, '')}/v1/faucet`
  const faults = createFaultRules(faucetFaults, options.faults)
  const claims = new Map<string, Claim>()
  const balances = new Map(chainIds.map((chainId) => [chainId, options.balanceWei ?? 10n ** 18n]))
  let isHeld = false

  const grant = async (claim: Claim): Promise<void> => {
    const { address, chainId, claimId } = claim
    claim.status = 'sent'
    claim.txHash = (await onGrant?.({ address, chainId, amountWei: grantWei, claimId })) ?? hashOf(seed, claimId)
  }
  const answer = async (request: Request): Promise<Response> => {
    const { address, chainId, appId: named } = await readJson(request)
    if (typeof address !== 'string' || !isAddress(address, { strict: false })) return refuse('address')
    if (typeof chainId !== 'number' || !Number.isSafeInteger(chainId)) return refuse('chainId')
    if (typeof named !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(named)) return refuse('appId')
    if (appId !== null && named !== appId) return problem(401, refusals.unauthorized.problem)
    const held = balances.get(chainId)
    if (held === undefined) {
      const message = `The faucet serves the chains ${chainIds.join(', ')}.`
      return problem(400, { code: 'FAUCET_CHAIN_NOT_SUPPORTED', message, details: { chainId } })
    }
    const key = `${address.toLowerCase()} ${chainId}`
    const earlier = claims.get(key)
    if (earlier !== undefined) return problem(409, alreadyClaimed(earlier))
    if (held < grantWei) return problem(503, refusals.dry.problem)
    balances.set(chainId, held - grantWei)
    const claim: Claim = {
      claimId: `claim-${hashOf(seed, key).slice(2, 18)}`,
      address: getAddress(address),
      chainId,
      claimedAt: new Date(now()).toISOString(),
      status: 'queued',
      txHash: null,
    }
    claims.set(key, claim)
    if (!isHeld) await grant(claim)
    const { claimedAt: _, ...reported } = claim
    return HttpResponse.json({ ...reported, amount: formatEther(grantWei), currency: 'ETH', explorerUrl: null })
  }
  return handlerSet(
    [
      http.post(`${base}/request`, async ({ request }) => {
        const fault = faults.take('request')
        if (fault?.fault === 'down') return HttpResponse.error()
        if (fault === null) return answer(request)
        const { status, problem: body } = refusals[fault.fault]
        const { retryAfterSeconds } = { retryAfterSeconds: undefined, ...fault }
        return problem(status, retryAfterSeconds === undefined ? body : { ...body, retryAfterSeconds })
      }),
      http.get(`${base}/status`, () => {
        const isDown = faults.take('status')?.fault === 'down'
        return isDown ? HttpResponse.error() : HttpResponse.json(statusOf(balances, claims, now()))
      }),
    ],
    {
      claims: () => [...claims.values()].map((claim) => Object.freeze(Object.assign({}, claim))),
      setFaults: (wanted: readonly FaucetFault[]) => faults.set(wanted),
      hold: () => {
        isHeld = true
      },
      release: async () => {
        isHeld = false
        for (const claim of claims.values()) if (claim.status === 'queued') await grant(claim)
      },
    },
  )
}

/** The handlers of {@link faucetHandlers}. */
export type FaucetHandlers = HandlerSet<{
  /** Every claim so far, in order. */
  readonly claims: () => readonly FaucetClaim[]
  readonly setFaults: (faults: readonly FaucetFault[]) => void
  /** Leaves claims in the queue until `release`. */
  readonly hold: () => void
  readonly release: () => Promise<void>
}>

/** Of {@link faucetHandlers}. */
export type FaucetOptions = {
  /** Base URL of the support API. */
  readonly apiUrl: string
  /** The one app that is known; any without. */
  readonly appId?: string
  /** The chains whose rows say `faucet` without: Sepolia and Base Sepolia. */
  readonly chainIds?: readonly number[]
  /** What it holds on each chain; 1 ether without. */
  readonly balanceWei?: bigint
  /** Sends the grant, on a local chain for example; its hash is reported in the answer. */
  readonly onGrant?: (grant: FaucetGrant) => Hash | void | Promise<Hash | void>
  readonly faults?: readonly FaucetFault[]
  readonly seed?: string
  /** Milliseconds since 1970; the first of January 2026 without. */
  readonly now?: () => number
}

/** What the faucet is about to send. */
export type FaucetGrant = {
  readonly address: Address
  readonly chainId: number
  readonly amountWei: bigint
  readonly claimId: string
}

/** A claim as the faucet keeps it. */
export type FaucetClaim = {
  readonly claimId: string
  readonly address: Address
  readonly chainId: number
  readonly claimedAt: string
  readonly status: 'queued' | 'sent'
  readonly txHash: Hash | null
}

/**
 * What goes wrong: `already-claimed` is 409 `FAUCET_ALREADY_CLAIMED`, `dry` 503 `FAUCET_DRY`, `rate-limit` 429
 * `RATE_LIMITED`, `unauthorized` 401 `APP_ID_INVALID`; `down` breaks the connection. The status route knows `down` alone.
 */
export type FaucetFault = (
  | { readonly fault: 'already-claimed' | 'dry' | 'unauthorized' | 'down' }
  | { readonly fault: 'rate-limit'; readonly retryAfterSeconds: number }
) & {
  /** `request` or `status`; both without. */
  readonly methods?: readonly ('request' | 'status')[]
  /** How often; until the faults are set anew without. */
  readonly times?: number
}

const faucetFaults: Readonly<Record<FaucetFault['fault'], true>> = {
  'already-claimed': true,
  dry: true,
  'rate-limit': true,
  unauthorized: true,
  down: true,
}

type Claim = { -readonly [Field in keyof FaucetClaim]: FaucetClaim[Field] }

const grantWei = 10n ** 16n
const firstMoment = Date.UTC(2026, 0, 1)

type Refusal = { readonly status: number; readonly problem: Problem }

const refusals: Readonly<Record<Exclude<FaucetFault['fault'], 'down'>, Refusal>> = {
  'already-claimed': refusal(409, 'FAUCET_ALREADY_CLAIMED', 'The wallet had its grant on this chain.'),
  dry: refusal(503, 'FAUCET_DRY', 'The faucet has nothing left on this chain.'),
  unauthorized: refusal(401, 'APP_ID_INVALID', 'The app id is not known.'),
  'rate-limit': refusal(429, 'RATE_LIMITED', 'Too many requests.'),
}

function refusal(status: number, code: string, message: string): Refusal {
  return { status, problem: { code, message } }
}

function refuse(field: string): Response {
  const details = { fields: [field] }
  return problem(400, { code: 'VALIDATION_FAILED', message: `${field} is missing or not valid.`, details })
}

function alreadyClaimed({ claimId, txHash, claimedAt }: Claim): Problem {
  return { ...refusals['already-claimed'].problem, details: { claimId, txHash, claimedAt } }
}

function hashOf(...words: readonly string[]): Hash {
  return `0x${createHash('sha256').update(words.join(' ')).digest('hex')}`
}

function statusOf(balances: ReadonlyMap<number, bigint>, claims: ReadonlyMap<string, Claim>, nowMs: number) {
  const chains = [...balances].map(([chainId, balance]) => {
    const own = [...claims.values()].filter((claim) => claim.chainId === chainId)
    return {
      chainId,
      amount: `${grantWei}`,
      balance: `${balance}`,
      balanceFormatted: formatEther(balance),
      claimsRemaining: Number(balance / grantWei),
      queueDepth: own.filter(({ status }) => status === 'queued').length,
      lastClaimAt: own.at(-1)?.claimedAt ?? null,
      rpc: 'ok',
      enabled: balance >= grantWei,
    }
  })
  const status = chains.every(({ enabled }) => enabled) ? 'ok' : 'degraded'
  return { status, time: new Date(nowMs).toISOString(), chains, limits: { claimsPerAddress: 1 } }
}
