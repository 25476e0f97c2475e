import { inTime, rateLimitHeaders } from '@svc/runtime'
import type { Claim, Claims, ClaimVerdict, ClaimState } from '@svc/store'
import { getAddress, type Address, type Hex, formatEther } from 'viem'
import { ApiError } from '../errors.ts'
import type { FaucetConfig } from '../config.ts'
import { explorerUrl, type Faucet, type OpenFaucetChain, requireChain } from './open-faucet.ts'
import type { FaucetLog } from './endpoints.ts'

/**
 * Takes the claim of a wallet in and answers once its transaction is out, after five seconds at the latest: a claim that
 * was taken in is paid unless the wallet does not take it, which `FAUCET_TARGET_CONTRACT` says with the claim's id.
 * Throws `ApiError`: `FAUCET_CHAIN_NOT_SUPPORTED`, `FAUCET_ALREADY_CLAIMED`, `FAUCET_TARGET_CONTRACT`,
 * `FAUCET_TARGET_FUNDED`, `FAUCET_DRY`, `FAUCET_PAUSED`, `RATE_LIMITED`, `UPSTREAM_UNAVAILABLE`.
 */
export async function requestGrant(desk: GrantDesk, request: GrantRequest): Promise<Grant> {
  const { faucet } = desk
  const open = requireChain(faucet, request.chainId)
  const earlier = await faucet.desk.find(request)
  if (earlier !== null) throw alreadyClaimed(open, earlier)
  const full = faucet.desk.full(request)
  if (full !== null) throw capped(desk, full)
  await requireTarget(desk, open, request)
  const verdict = await faucet.desk.make({ ...request, amountWei: grantWei })
  if (verdict.status === 'claimed') throw alreadyClaimed(open, verdict.claim)
  if (verdict.status === 'capped') throw capped(desk, verdict)
  desk.log.debug('faucet.claimed', { claimId: verdict.claim.id })
  open.payer.nudge()
  const claim = await faucet.watch.untilSent(verdict.claim, sendWaitMs)
  if (claim.state === 'failed') throw notTaken(open, claim)
  return grantOf(open, claim, claim.state)
}

export type GrantDesk = {
  readonly faucet: Faucet
  readonly claims: Claims
  readonly config: Pick<FaucetConfig, 'targetCeilingWei' | 'perAppPerDay' | 'perNetworkPerDay' | 'perChainPerDay'>
  readonly log: FaucetLog
  /** Of the faucet's own balance, read at most every few seconds. */
  readonly balanceWei: (chainId: number) => Promise<bigint>
  /** How many claims wait, a second ago at most. */
  readonly queueDepth: (chainId: number) => Promise<number>
}

export type GrantRequest = {
  readonly chainId: number
  readonly address: Address
  readonly appId: string
  readonly network: string
}

/** Body of a success. `txHash` is `null` while the claim waits in the queue. */
export type Grant = {
  readonly status: 'queued' | 'sent' | 'confirmed'
  readonly claimId: string
  readonly txHash: string | null
  readonly address: Address
  readonly chainId: number
  /** Whole units of the native currency. */
  readonly amount: string
  readonly currency: string
  readonly explorerUrl: string | null
}

/** A wallet of a person or an agent: an account without code, or one that has delegated itself (EIP-7702). */
async function requireTarget(
  { faucet, config, balanceWei, queueDepth }: GrantDesk,
  { chain, client }: OpenFaucetChain,
  { address }: GrantRequest,
): Promise<void> {
  if (BigInt(address) <= lastReserved || address === faucet.address) {
    throw new ApiError('FAUCET_TARGET_CONTRACT', 'The address belongs to the chain or to the faucet.')
  }
  const [code, heldWei, ownWei, depth] = await Promise.all([
    read(client.getCode({ address })),
    config.targetCeilingWei === null ? 0n : read(client.getBalance({ address })),
    read(balanceWei(chain.id)),
    queueDepth(chain.id),
  ])
  if (!isWallet(code)) throw new ApiError('FAUCET_TARGET_CONTRACT', 'There is a contract at the address.')
  if (config.targetCeilingWei !== null && heldWei > config.targetCeilingWei) {
    throw new ApiError('FAUCET_TARGET_FUNDED', 'The wallet holds more than the faucet tops up.')
  }
  if (ownWei < grantWei * BigInt(depth + 1)) {
    throw new ApiError('FAUCET_DRY', `The faucet is dry on chain ${chain.id}.`, { retryAfterSeconds: 600 })
  }
}

/** Precompiles stand at the lowest addresses. */
const lastReserved = 0xffffn

/** EIP-7702: the designator is 0xef0100 and the address of the implementation. */
function isWallet(code: Hex | undefined): boolean {
  return code === undefined || code === '0x' || /^0xef0100[0-9a-f]{40}$/i.test(code)
}

async function read<Value>(asked: Promise<Value>): Promise<Value> {
  return inTime(asked, chainPatienceMs).catch((cause: unknown) => {
    throw new ApiError('UPSTREAM_UNAVAILABLE', 'The endpoint of the chain does not answer.', {
      retryAfterSeconds: 10,
      cause,
    })
  })
}

const chainPatienceMs = 5_000
const sendWaitMs = 5_000

function grantOf(open: OpenFaucetChain, claim: Claim, status: Grant['status']): Grant {
  const { chain } = open
  return {
    status,
    claimId: claim.id,
    txHash: claim.txHash,
    address: getAddress(claim.address),
    chainId: chain.id,
    amount: grantAmount,
    currency: chain.nativeCurrency.symbol,
    explorerUrl: explorerUrl(open, claim.txHash),
  }
}

/** The claim stays, and an operator may have it paid once the wallet takes it. */
function notTaken(open: OpenFaucetChain, { id: claimId, txHash, state }: Claim): ApiError {
  return new ApiError('FAUCET_TARGET_CONTRACT', 'The wallet has code that does not take the grant.', {
    facts: { claimId, txHash, state, explorerUrl: explorerUrl(open, txHash) },
  })
}

function alreadyClaimed(open: OpenFaucetChain, claim: Claim): ApiError {
  const { id: claimId, txHash, state } = claim
  const claimedAt = new Date(claim.createdAt).toISOString()
  return new ApiError('FAUCET_ALREADY_CLAIMED', `The wallet had its grant on chain ${open.chain.id} on ${claimedAt}.`, {
    facts: { claimId, txHash, claimedAt, state, explorerUrl: explorerUrl(open, txHash) },
  })
}

function capped({ config }: GrantDesk, { scope, retryAfterMs }: Capped): ApiError {
  const perWindow = { app: config.perAppPerDay, network: config.perNetworkPerDay, chain: config.perChainPerDay }[scope]
  const reported = {
    retryAfterSeconds: Math.ceil(retryAfterMs / 1_000),
    headers: rateLimitHeaders(
      { name: scope, perWindow, windowMs: dayMs },
      { allowed: false, remaining: 0, retryAfterMs },
    ),
  }
  if (scope === 'chain') {
    return new ApiError('FAUCET_PAUSED', 'The faucet has given on this chain what it gives in a day.', reported)
  }
  const whose = scope === 'app' ? 'this app' : 'this network'
  return new ApiError('RATE_LIMITED', `Wallets of ${whose} had what they get in a day.`, reported)
}

type Capped = Extract<ClaimVerdict, { status: 'capped' }>

const dayMs = 86_400_000

/**
 * How the claim of a wallet stands; `null` when there is none. It says what a repeated request gets and what stands on
 * the chain, and neither app nor network. Throws `FAUCET_CHAIN_NOT_SUPPORTED`.
 */
export async function lookUpClaim(
  { faucet, claims }: { readonly faucet: Pick<Faucet, 'chains'>; readonly claims: Pick<Claims, 'find'> },
  { chainId, address }: { readonly chainId: number; readonly address: Address },
): Promise<ClaimStanding | null> {
  const open = requireChain(faucet, chainId)
  const claim = await claims.find(chainId, address)
  if (claim === null) return null
  const { state, txHash, createdAt } = claim
  const failedId = state === 'failed' ? claim.id : null
  return { address, chainId, state, txHash, claimedAt: createdAt, explorerUrl: explorerUrl(open, txHash), failedId }
}

export type ClaimStanding = {
  readonly address: Address
  readonly chainId: number
  readonly state: ClaimState
  readonly txHash: string | null
  /** Unix milliseconds. */
  readonly claimedAt: number
  readonly explorerUrl: string | null
  /** By which the operator can queue it again; `null` for one that has not failed. */
  readonly failedId: string | null
}

/** What one wallet gets on one chain: 0.01 of the native currency. */
export const grantWei = 10_000_000_000_000_000n

/** The same in whole units of the native currency. */
export const grantAmount = formatEther(grantWei)
