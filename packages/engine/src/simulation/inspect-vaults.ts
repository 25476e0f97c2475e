import { erc20Abi, vaultCallAbi } from '@svc/amm/abis'
import { contractFunction } from '@svc/amm/rpc'
import type { Intent } from '@svc/amm'
import { type Address, encodeFunctionData, getAddress, hexToBigInt, isAddressEqual } from 'viem'
import type { CallBounds, VaultDepositBounds } from '../calldata/call-bounds.ts'
import type { SimulatedCall, SimulatedResult } from './asset-changes.ts'

/**
 * The deposits into vaults that calldata makes, each with the token that pays for it: the one of which the vault may take something.
 * None without exactly one.
 */
export function vaultDepositsOf(
  callBounds: readonly Pick<CallBounds, 'vaultDeposits'>[],
  { approvals }: Pick<Intent, 'approvals'>,
): readonly PaidVaultDeposit[] {
  return callBounds.flatMap(({ vaultDeposits }) =>
    vaultDeposits.flatMap((deposit): readonly PaidVaultDeposit[] => {
      const [paid, ...others] = approvals.filter(({ spender }) => isAddressEqual(spender, getAddress(deposit.vault)))
      return paid === undefined || others.length > 0 ? [] : [{ deposit, token: paid.token, most: paid.amount }]
    }),
  )
}

export type PaidVaultDeposit = {
  readonly deposit: VaultDepositBounds
  readonly token: Address
  /** All that it may take of the token: its allowance. */
  readonly most: bigint
}

export type InspectedVaultDeposit = PaidVaultDeposit & {
  /** How much of the token giving back all of its shares brings at once, by balances; `null` where that fails. */
  readonly brings: bigint | null
}

/**
 * What a deposit into a vault is worth is what the shares bring that it makes: they are given back at the end of a simulation, when all
 * else is read, between two looks at the wallet's balance. What the vault says of it counts for nothing.
 */
export function redemptionsOf(deposits: readonly PaidVaultDeposit[], wallet: Address): Redemptions {
  const calls = deposits.flatMap(({ deposit: { vault, shares }, token }) => {
    const { to, data } = readBalance(token, [wallet])
    const balance: SimulatedCall = { to, data, value: 0n, mustSucceed: false }
    const args = [shares, wallet, wallet] as const
    const redeem = encodeFunctionData({ abi: vaultCallAbi, functionName: 'redeem', args })
    return [balance, { from: wallet, to: getAddress(vault), data: redeem, value: 0n, mustSucceed: false }, balance]
  })
  return {
    calls,
    decode: (results) =>
      deposits.map((one, index) => {
        const [before, redeem, after] = results.slice(index * 3, index * 3 + 3)
        const [held, holds] = [uintOf(before), uintOf(after)]
        const isKnown = redeem?.ok === true && held !== null && holds !== null
        return { ...one, brings: isKnown ? (holds > held ? holds - held : 0n) : null }
      }),
  }
}

export type Redemptions = {
  readonly calls: readonly SimulatedCall[]
  decode(results: readonly SimulatedResult[]): readonly InspectedVaultDeposit[]
}

/** Changes of a wallet in which the shares that deposits into vaults make count as what they bring at once. */
export function asRedeemed(
  deltas: ReadonlyMap<string, bigint>,
  vaultDeposits: readonly InspectedVaultDeposit[],
): ReadonlyMap<string, bigint> {
  const counted = new Map(deltas)
  for (const one of vaultDeposits) {
    const { vault } = one.deposit
    const token = one.token.toLowerCase()
    counted.set(token, (counted.get(token) ?? 0n) + broughtBy(one, counted.get(vault) ?? 0n))
    counted.delete(vault)
  }
  return counted
}

/** What came in the simulation for so many shares that are given back to their vault; `null` where nothing did. */
export function givenBack(
  vault: string,
  shares: bigint,
  { simulation, intent }: GivingBack,
): { readonly asset: string; readonly worth: bigint } | null {
  const asset = intent.receives[0]?.token.toLowerCase() ?? vault
  const [burnt, came] = [-(simulation.deltas.get(vault) ?? 0n), simulation.deltas.get(asset) ?? 0n]
  return burnt <= 0n || came <= 0n ? null : { asset, worth: (shares * came) / burnt }
}

export type GivingBack = {
  readonly simulation: { readonly deltas: ReadonlyMap<string, bigint> }
  readonly intent: Pick<Intent, 'receives'>
}

/** Changes of a wallet in which shares that were given back to their vaults count as what came for them in the simulation. */
export function asGivenBack(
  deltas: ReadonlyMap<string, bigint>,
  vaults: readonly string[],
  giving: GivingBack,
): ReadonlyMap<string, bigint> {
  const counted = new Map(deltas)
  for (const vault of vaults) {
    const given = givenBack(vault, -(deltas.get(vault) ?? 0n), giving)
    counted.delete(vault)
    if (given !== null) counted.set(given.asset, (counted.get(given.asset) ?? 0n) - given.worth)
  }
  return counted
}

/** What so many shares of a deposit bring. */
export function broughtBy({ deposit, brings }: InspectedVaultDeposit, shares: bigint): bigint {
  return deposit.shares === 0n ? 0n : ((brings ?? 0n) * shares) / deposit.shares
}

const readBalance = contractFunction(erc20Abi, 'balanceOf')

function uintOf(result: SimulatedResult | undefined): bigint | null {
  return result?.ok === true && result.returnData.length === 66 ? hexToBigInt(result.returnData) : null
}
