import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import type { ClaimBody } from './requests.ts'
import type { Sdks } from './sdks.ts'

/** What the transaction is made with beside the request: a fault of the stand-in changes some of it. */
export type ClaimTerms = {
  readonly recipient: string
  /** Unix seconds. */
  readonly deadline: number
  /** As of an old state: v3 asks for half of what is owed, which is all that the state knew of. */
  readonly isStale: boolean
}

/** The calls of a claim, built by the vendor's SDKs; nothing of ours encodes it but the stale one of v3, which they would not build. */
export function buildClaim(sdks: Sdks, chain: Chain, body: ClaimBody, terms: ClaimTerms): BuiltCall {
  return body.protocol === 'V3' ? claimV3(sdks, chain, body, terms) : claimV4(sdks, chain, body, terms)
}

export type BuiltCall = { readonly to: string; readonly data: Hex; readonly value: string }

type ClaimV3 = Extract<ClaimBody, { readonly protocol: 'V3' }>
type ClaimV4 = Extract<ClaimBody, { readonly protocol: 'V4' }>

function claimV3({ core, v3 }: Sdks, chain: Chain, body: ClaimV3, terms: ClaimTerms): BuiltCall {
  if (chain.amm.v3 === undefined) throw new TypeError('the chain has no v3')
  const to = chain.amm.v3.positionManager
  const { expectedTokenOwed0RawAmount: owed0, expectedTokenOwed1RawAmount: owed1, position } = body
  if (terms.isStale) {
    const [amount0Max, amount1Max] = [BigInt(owed0) / 2n, BigInt(owed1) / 2n]
    const recipient = terms.recipient as Hex
    const args = [{ tokenId: BigInt(body.tokenId), recipient, amount0Max, amount1Max }] as const
    return { to, data: encodeFunctionData({ abi: collectAbi, functionName: 'collect', args }), value: '0x00' }
  }
  const owed = (address: string, amount: string) =>
    core.CurrencyAmount.fromRawAmount(new core.Token(body.chainId, address, 18), amount)
  const { calldata, value } = v3.NonfungiblePositionManager.collectCallParameters({
    tokenId: body.tokenId,
    expectedCurrencyOwed0: owed(position.pool.token0, owed0),
    expectedCurrencyOwed1: owed(position.pool.token1, owed1),
    recipient: terms.recipient,
  })
  return { to, data: calldata as Hex, value }
}

/** A claim moves no price, so any price of the pool makes the same calldata. */
function claimV4({ core, v3, v4 }: Sdks, chain: Chain, body: ClaimV4, terms: ClaimTerms): BuiltCall {
  if (chain.amm.v4 === undefined) throw new TypeError('the chain has no v4')
  const { pool, tickLower, tickUpper } = body.position
  const currency = (address: string) =>
    address === zeroAddress ? core.Ether.onChain(body.chainId) : new core.Token(body.chainId, address, 18)
  const [one, other] = [currency(pool.token0), currency(pool.token1)]
  const price = v3.TickMath.getSqrtRatioAtTick(0)
  const sdkPool = new v4.Pool(one, other, pool.fee, pool.tickSpacing, pool.hooks ?? zeroAddress, price, 0, 0)
  const position = new v4.Position({ pool: sdkPool, liquidity: 1, tickLower, tickUpper })
  const { calldata, value } = v4.V4PositionManager.collectCallParameters(position, {
    tokenId: body.tokenId,
    recipient: terms.recipient,
    slippageTolerance: new core.Percent(0, 1),
    deadline: terms.isStale ? terms.deadline - 86_400 : terms.deadline,
  })
  return { to: chain.amm.v4.positionManager, data: calldata as Hex, value }
}

const collectAbi = parseAbi([
  'struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }',
  'function collect(CollectParams params) payable returns (uint256 amount0, uint256 amount1)',
])
