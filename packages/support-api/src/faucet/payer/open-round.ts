import type { Claim } from '@svc/store'
import { type Chain, feesNow } from '@svc/wallet/core'
import { type Address, BaseError, ExecutionRevertedError, type PublicClient, RpcRequestError } from 'viem'

/**
 * Reads what the claims of one round share, and what the transfer to each of them takes, before the first of them is
 * signed. No claim's wallet can make it reject: it does when the endpoint does not answer what is asked for all of them.
 */
export async function openRound({ chain, client, address }: RoundOptions, claims: readonly Claim[]): Promise<Round> {
  const [latestCount, leftWei, { lasting: fees }, plainGas, ...gas] = await Promise.all([
    client.getTransactionCount({ address, blockTag: 'latest' }),
    client.getBalance({ address, blockTag: 'pending' }),
    feesNow(client, chain),
    gasOf(client, address, address, claims[0]?.amountWei ?? 0n),
    ...claims.map((claim) => gasFor(client, address, claim)),
  ])
  return {
    latestCount,
    leftWei,
    fees,
    plainGas,
    gas: new Map(claims.map(({ id }, index) => [id, gas[index] ?? 'unanswered'])),
  }
}

export type Round = {
  readonly latestCount: number
  /** Of the faucet's balance; what is signed in this round is taken off. */
  leftWei: bigint
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  /** Of a transfer to a wallet without code. */
  readonly plainGas: bigint
  /** By claim. */
  readonly gas: ReadonlyMap<string, bigint | WhyNoGas>
}

/**
 * Why there is no gas limit for a claim.
 *
 * - never: the chain has run the code of the wallet, which did not take the transfer for the most gas it may use
 * - in-doubt: the wallet has code, and the endpoint failed at this transfer while it answered for a plain one
 * - unanswered: nothing was said about the transfer that could be the wallet's own doing
 */
type WhyNoGas = 'never' | 'in-doubt' | 'unanswered'

type RoundOptions = { readonly chain: Chain; readonly client: PublicClient; readonly address: Address }

/**
 * Most gas of one grant: a plain transfer takes 21,000; the rest is room for what a delegated wallet does when it
 * receives, or for what a rollup asks beside.
 */
export const mostGas = 100_000n

/** What a grant takes of gas and, at its worst, of the balance; or what stands against signing it now. */
export function costOf(round: Round, claim: Claim): Cost | WhyNoGas | 'too-dear' | HeldUpBy {
  const { maxFeePerGas } = round.fees
  // Gas never costs more than what is given.
  if (round.plainGas * maxFeePerGas > claim.amountWei) return 'fees'
  if (round.leftWei < claim.amountWei + round.plainGas * maxFeePerGas) return 'dry'
  const gas = round.gas.get(claim.id) ?? 'unanswered'
  if (typeof gas === 'string') return gas
  const worstWei = claim.amountWei + gas * maxFeePerGas
  const isTooDear = gas * maxFeePerGas > claim.amountWei || worstWei > round.leftWei
  return isTooDear ? 'too-dear' : { gasLimit: gas, worstWei }
}

export type Cost = { readonly gasLimit: bigint; readonly worstWei: bigint }

export function addressOf({ address }: Pick<Claim, 'address'>): Address {
  return `0x${address.replace(/^0x/, '')}`
}

/** A wallet without code takes everything, so whatever an endpoint says against it is the endpoint's fault. */
async function gasFor(client: PublicClient, account: Address, claim: Claim): Promise<bigint | WhyNoGas> {
  const address = addressOf(claim)
  const [code, gas] = await Promise.all([
    client.getCode({ address }).catch(() => undefined),
    gasOf(client, account, address, claim.amountWei).then(limitOf, whyNot),
  ])
  return typeof gas === 'string' && code === undefined ? 'unanswered' : gas
}

/** The node runs the transfer with no more gas than the bound, whatever code the wallet has. */
function gasOf(client: PublicClient, account: Address, to: Address, value: bigint): Promise<bigint> {
  // The state is overridden so that a dry faucet is distinguished from a wallet that takes nothing.
  const stateOverride = [{ address: account, balance: value * 1_000n }]
  return client.estimateGas({ account, to, value, gas: mostGas, prepare: false, stateOverride })
}

function limitOf(gas: bigint): bigint | WhyNoGas {
  if (gas === 21_000n) return gas
  const roomy = (gas * 12n) / 10n
  return gas > mostGas ? 'never' : roomy < mostGas ? roomy : mostGas
}

/** Nodes have many words for code that halts, and for their own faults: any but a plain revert leaves it in doubt. */
function whyNot(error: unknown): WhyNoGas {
  if (!(error instanceof BaseError)) return 'unanswered'
  if (error.walk((inner) => inner instanceof ExecutionRevertedError) !== null) return 'never'
  const answer = error.walk((inner) => inner instanceof RpcRequestError)
  if (!(answer instanceof RpcRequestError) || tooManyRequests.has(answer.code)) return 'unanswered'
  return 'in-doubt'
}

/** Of JSON-RPC providers. */
const tooManyRequests: ReadonlySet<number> = new Set([429, -32_005, -32_007, -32_016, -32_029])

/**
 * What keeps every claim of a chain waiting.
 *
 * - dry: the faucet has less than a grant and its gas
 * - fees: the gas of a plain transfer costs more than what is given
 * - nonce: the chain does not count what it had mined before
 * - signer: another program over the database pays with the key
 * - wrong-chain: the endpoints speak for another chain
 */
export type HeldUpBy = 'dry' | 'fees' | 'nonce' | 'signer' | 'wrong-chain'
