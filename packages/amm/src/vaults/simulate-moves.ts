import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type PublicClient, type Hex } from 'viem'
import { erc20Abi } from '../abis/tokens.ts'
import { findHolder } from '../liquidity/pools/read-pool-amounts.ts'
import type { DepositSimulation, RpcPool, Token, Vault, VaultState, VaultExit, WithdrawalSimulation } from '../ports.ts'
import { type Call, callOf, difference, readOf, simulateCalls, uintOf } from './simulate-calls.ts'
import { vaultAbi, vaultCallAbi } from '../abis/vault.ts'

export type SimulationPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head' | 'seenHead'>
}

/**
 * Simulates a deposit and the redemption of what came, as transactions of their owner in one block after the state's, and measures both by
 * balances: what a vault says of itself is not asked. The redemption is of as many shares as the preview says; where others came, it
 * is simulated again with those.
 *
 * @throws ToolError `SIMULATION_UNAVAILABLE`, `RPC_*`
 */
export async function simulateDeposit(
  ports: SimulationPorts,
  chain: Chain,
  vault: Vault,
  asked: Asked,
): Promise<DepositSimulation | null> {
  const { state, amount } = asked
  const balance = state.account?.balance ?? 0n
  const loan = amount > balance ? await findLoan(ports, chain, asked, amount - balance) : null
  if (amount > balance && loan === null) return null
  const client = ports.rpc.client(chain)
  const first = await simulate(client, vault, { ...asked, loan, redeems: state.previewedShares })
  const isOther = first.shares !== null && first.shares > 0n && first.shares !== state.previewedShares
  return isOther ? await simulate(client, vault, { ...asked, loan, redeems: first.shares }) : first
}

type Asked = {
  readonly state: VaultState
  readonly owner: Address
  readonly asset: Token
  readonly amount: bigint
}

type Loan = { readonly lender: Address; readonly units: bigint }

type Simulating = Asked & {
  readonly loan: Loan | null
  /** How many shares are redeemed afterwards; `null` where nobody knows how many come. */
  readonly redeems: bigint | null
}

/** Twice what is missing where a pool has it, for a token may keep a part of what is lent. */
async function findLoan(
  ports: SimulationPorts,
  chain: Chain,
  { asset, state }: Asked,
  missing: bigint,
): Promise<Loan | null> {
  const lender = await findHolder(ports, chain, asset, state.head)
  if (lender === null || lender.units < missing) return null
  return { lender: lender.address, units: lender.units < missing * 2n ? lender.units : missing * 2n }
}

async function simulate(client: PublicClient, vault: Vault, simulating: Simulating): Promise<DepositSimulation> {
  const { loan, redeems, state } = simulating
  const steps = stepsOf(vault, simulating)
  const results = await simulateCalls(client, Object.values(steps), state.head.number)
  const of = (name: keyof typeof steps) => results[Object.keys(steps).indexOf(name)]
  const failedStep = (['loan', 'deposit'] as const).find((name) => of(name)?.isOk !== true)
  const between = uintOf(of('assetsBetween'))
  const redeem = redeems === null || failedStep !== undefined ? undefined : of('redeem')
  return {
    failure: failedStep === undefined ? null : { step: failedStep, data: of(failedStep)?.data ?? '0x' },
    lender: loan?.lender ?? null,
    paid: failedStep === undefined ? difference(uintOf(of('assetsBefore')), between) : null,
    shares: failedStep === undefined ? difference(uintOf(of('sharesAfter')), uintOf(of('sharesBefore'))) : null,
    redeemed: redeem?.isOk === true ? difference(uintOf(of('assetsAfter')), between) : null,
    redeemFailure: redeem?.isOk === false ? redeem.data : null,
    gasUsed: failedStep === undefined ? (of('deposit')?.gasUsed ?? null) : null,
  }
}

/** In the order in which they are simulated. */
function stepsOf({ address, asset, share }: Vault, { owner, amount, loan, redeems }: Simulating) {
  const call = callOf(owner)
  const balanceOf = readOf(owner)
  const approve = (units: bigint) =>
    call(asset, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [address, units] }))
  const lend = (from: Address, units: bigint): Call => ({
    from,
    to: asset,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [owner, units] }),
  })
  return {
    loan: loan === null ? balanceOf(asset) : lend(loan.lender, loan.units),
    // Some tokens take no allowance but from zero.
    clear: approve(0n),
    approve: approve(amount),
    assetsBefore: balanceOf(asset),
    sharesBefore: balanceOf(share.address),
    deposit: call(address, encodeFunctionData({ abi: vaultAbi, functionName: 'deposit', args: [amount, owner] })),
    assetsBetween: balanceOf(asset),
    sharesAfter: balanceOf(share.address),
    redeem: call(
      address,
      encodeFunctionData({ abi: vaultAbi, functionName: 'redeem', args: [redeems ?? 0n, owner, owner] }),
    ),
    assetsAfter: balanceOf(asset),
  }
}

/**
 * Simulates a way out as a transaction of its owner in a block after the state's, and measures it by balances. An amount counts as the shares
 * that `withdraw` burns for it: those are given back whole, for a vault whose shares somebody has made dear burns one for a smallest unit.
 *
 * @throws ToolError `SIMULATION_UNAVAILABLE`, `RPC_*`
 */
export async function simulateWithdrawal(
  { rpc }: { readonly rpc: Pick<RpcPool, 'client'> },
  chain: Chain,
  vault: Vault,
  asked: { readonly state: VaultState; readonly owner: Address; readonly exit: VaultExit },
): Promise<WithdrawalSimulation> {
  const { exit, owner, state } = asked
  const leave = (data: Hex) => simulateLeaving(rpc.client(chain), vault, { owner, data, block: state.head.number })
  if ('shares' in exit) return { ...(await leave(redeemData(exit.shares, owner))), shares: exit.shares }
  const args = [exit.assets, owner, owner] as const
  const exact = await leave(encodeFunctionData({ abi: vaultAbi, functionName: 'withdraw', args }))
  const shares = exact.burnt ?? 0n
  if (exact.failure !== null || shares === 0n) return { ...exact, shares }
  return { ...(await leave(redeemData(shares, owner))), shares }
}

/** The call of a way out that pays its owner. */
export function redeemData(shares: bigint, owner: Address): Hex {
  return encodeFunctionData({ abi: vaultCallAbi, functionName: 'redeem', args: [shares, owner, owner] })
}

async function simulateLeaving(
  client: PublicClient,
  { address, asset, share }: Vault,
  { owner, data, block }: { readonly owner: Address; readonly data: Hex; readonly block: bigint },
): Promise<Omit<WithdrawalSimulation, 'shares'>> {
  const balances = [asset, share.address].map(readOf(owner))
  const results = await simulateCalls(client, [...balances, callOf(owner)(address, data), ...balances], block)
  const [assetsBefore, sharesBefore, left, assetsAfter, sharesAfter] = results
  if (left?.isOk !== true) return { failure: left?.data ?? '0x', burnt: null, received: null }
  return {
    failure: null,
    burnt: difference(uintOf(sharesBefore), uintOf(sharesAfter)),
    received: difference(uintOf(assetsAfter), uintOf(assetsBefore)),
  }
}
