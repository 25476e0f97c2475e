import type { OperationCall } from '@svc/wallet/core'
import { type Address, type Hex, encodeFunctionData, zeroAddress } from 'viem'
import { erc20Abi, permit2Abi } from '@svc/amm/abis'
import type { IntentApproval } from '@svc/amm'
import type { PendingRevocation } from '@svc/store'

/** One transaction of a run of the pipeline: the tool's own calls, and the approvals the pipeline makes and revokes around them. */
export type Step = {
  readonly kind: 'approve' | 'call' | 'revoke'
  /** Short verb phrase of ours. */
  readonly label: string
  readonly to: Address
  readonly data: Hex
  readonly valueWei: bigint
  /** Who calls, where it is not the wallet itself: the entry point of a user operation. */
  readonly from?: Address | undefined
  /** Where the transaction is a batch: its calls in order, and what the wallet is delegated to (EIP-7702). */
  readonly batch?: Batch | undefined
}

export type Batch = {
  readonly delegate: Address
  readonly calls: readonly Step[]
  /** Where it is carried out as a user operation. */
  readonly operation?: OperationTerms | undefined
}

export type OperationTerms = {
  /** Unix seconds after which it reverts, whoever includes it. */
  readonly expiresAt: number
  /** As the account makes them, with what the pipeline puts around them. */
  readonly calls: readonly OperationCall[]
  /** The contract whose log stands between the calls. */
  readonly permit2: Address
}

/**
 * Turns declared approvals into transactions: each ERC-20 allowance exactly the amount, through zero where another amount
 * stands (some tokens refuse a change between two amounts), and each Permit2 allowance exact, expiring, over an exact
 * ERC-20 allowance of Permit2. An allowance that already is the amount costs nothing, unless granting it is the purpose.
 */
export function approvalSteps(
  approvals: readonly IntentApproval[],
  /** What stands now, in the order of `allowancesOf`. */
  standing: readonly bigint[],
  context: {
    readonly permit2: Address
    readonly expiresAtSeconds: number
    /** For a signed order, which lives by an allowance of its own: it is made also where the same amount stands. */
    readonly isAnew?: boolean
  },
): readonly Step[] {
  const erc20 = allowancesOf(approvals, context.permit2).flatMap((allowance, index) => {
    const { token, spender, amount, revokeAfter } = allowance
    const now = standing[index] ?? 0n
    const isSame = now === amount && context.isAnew !== true
    if (isSame && revokeAfter) return []
    const throughZero = now !== 0n && !isSame && amount !== 0n
    const exact = approve(token, spender, amount)
    return throughZero ? [approve(token, spender, 0n), exact] : [exact]
  })
  const permit2 = approvals
    .filter(({ via }) => via === 'permit2')
    .map(({ token, spender, amount }) => ({
      kind: 'approve' as const,
      label: 'approve through Permit2',
      to: context.permit2,
      data: encodeFunctionData({
        abi: permit2Abi,
        functionName: 'approve',
        args: [token, spender, amount, context.expiresAtSeconds],
      }),
      valueWei: 0n,
    }))
  return [...erc20, ...permit2]
}

/** The ERC-20 allowances behind declared approvals, one for each token and spender, with the sum of what is needed. */
export function allowancesOf(approvals: readonly IntentApproval[], permit2: Address): readonly Allowance[] {
  const byKey = new Map<string, Allowance>()
  for (const { token, spender: declared, amount, via, revokeAfter } of approvals) {
    const spender = via === 'permit2' ? permit2 : declared
    const key = `${token}:${spender}`.toLowerCase()
    const other = byKey.get(key)
    byKey.set(key, {
      token,
      spender,
      amount: amount + (other?.amount ?? 0n),
      revokeAfter: revokeAfter && (other?.revokeAfter ?? true),
    })
  }
  return [...byKey.values()]
}

export type Allowance = {
  readonly token: Address
  readonly spender: Address
  readonly amount: bigint
  readonly revokeAfter: boolean
}

/** The transaction that takes an allowance back, or the right over a position, whose manager is called in the same form (ERC-721). */
export function revokeStep({ token, spender, position }: Omit<PendingRevocation, 'chainId' | 'owner'>): Step {
  if (position === undefined) return { ...approve(token, spender, 0n), kind: 'revoke', label: 'take back an allowance' }
  const nobody = approve(token, zeroAddress, BigInt(position.tokenId))
  return { ...nobody, kind: 'revoke', label: 'take back a right over a position' }
}

function approve(token: Address, spender: Address, amount: bigint): Step {
  return {
    kind: 'approve',
    label: amount === 0n ? 'clear an allowance' : 'approve the exact amount',
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
    valueWei: 0n,
  }
}
