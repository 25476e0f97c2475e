import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import type { Intent } from '../intent.ts'
import type { LiquidityPlan } from './liquidity.ts'
import type { BlockTime, Token } from './pools.ts'

/** What a vault is. All of it is what strangers' contracts say; text is made printable. */
export type Vault = {
  readonly address: Address
  readonly kind: 'erc4626' | 'erc7540'
  readonly name: string
  readonly asset: Address
  /** Where its shares are counted: the vault itself, or the share of an ERC-7575 vault. */
  readonly share: Pick<Token, 'address' | 'symbol' | 'decimals'>
  /** Whether deposits, or redemptions, are requests that are fulfilled later (ERC-7540). */
  readonly isAsync: { readonly deposit: boolean; readonly redeem: boolean }
}

/** What a vault says at one block, in smallest units; `null` for what it does not tell, or what cannot be. */
export type VaultState = {
  readonly head: BlockTime
  readonly totalAssets: bigint | null
  readonly totalSupply: bigint | null
  /** In the asset, for one whole share. */
  readonly sharePrice: bigint | null
  /** For a million whole shares, which holds more digits. */
  readonly pricePerMillion: bigint | null
  /** What redeeming one whole share pays, by the vault's preview. */
  readonly redeemsFor: bigint | null
  readonly isPaused: boolean | null
  readonly manager: Address | null
  readonly cap: VaultLimit
  readonly strategies: readonly VaultStrategy[] | null
  /** `null` where nobody is asked about. */
  readonly account: VaultAccount | null
  /** Shares for the amount that was asked about, by the vault's preview. */
  readonly previewedShares: bigint | null
}

/** `unlimited`: more than any token counts. */
export type VaultLimit = bigint | 'unlimited' | null

export type VaultStrategy = { readonly vault: Address; readonly targetBps: number; readonly assets: bigint }

export type VaultAccount = {
  readonly address: Address
  readonly shares: bigint | null
  readonly maxDeposit: VaultLimit
  readonly maxWithdraw: VaultLimit
  readonly maxRedeem: VaultLimit
  /** Of the asset: what it holds, and what the vault may take of it. */
  readonly balance: bigint | null
  readonly allowance: bigint | null
}

/** How the price of a share went since an older block. */
export type VaultGrowth = {
  readonly sharePrice: bigint
  /** Unix seconds. */
  readonly at: number
  /** Percent a year, compounded; `null` where no number says it. */
  readonly apyPct: number | null
}

/** What a deposit would do at a block, by balances before and after: the vault's own word counts for nothing. */
export type DepositSimulation = {
  /** `null` where all went well; else the revert data of the call that failed. */
  readonly failure: { readonly step: 'loan' | 'deposit'; readonly data: Hex } | null
  /** Whose tokens stood in for what the owner lacks; `null` where the owner has enough. */
  readonly lender: Address | null
  /** How much of the asset left the owner, and how many shares came. */
  readonly paid: bigint | null
  readonly shares: bigint | null
  /** What redeeming them at once brings; `null` where the vault does not let them go, and `redeemFailure` may say why. */
  readonly redeemed: bigint | null
  readonly redeemFailure: Hex | null
  /** Of the deposit alone. */
  readonly gasUsed: bigint | null
}

/** What a way out would do at a block, by balances before and after. */
export type WithdrawalSimulation = {
  /** `null` where it went well; else the revert data. */
  readonly failure: Hex | null
  /** How many are given back: for an amount those that it burns. */
  readonly shares: bigint
  /** How many shares left the owner, and how much of the asset came. */
  readonly burnt: bigint | null
  readonly received: bigint | null
}

export type VaultPlan = LiquidityPlan<null, VaultMove>

/** How much of the asset and how many shares went in or came out, by the wallet's own changes. */
export type VaultMove = { readonly assets: bigint; readonly shares: bigint }

/** Vaults with ERC-4626's interface, read, simulated and planned. Planning never signs: it returns intents. */
export type Vaults = {
  /** Those of a chain that the operator names: what writes may use. */
  named(chain: Chain): readonly Address[]
  /** Throws `VAULT_NOT_FOUND`, `VAULT_NOT_SUPPORTED`. */
  find(chain: Chain, address: Address): Promise<Vault>
  /** At the newest block. Throws `VAULT_NOT_SUPPORTED` where it became another than was found. */
  state(
    chain: Chain,
    vault: Vault,
    asked: { readonly account: Address | null; readonly deposit?: bigint },
  ): Promise<VaultState>
  /** Since so many days before the state; `null` where the endpoint does not have the block, or the vault did not stand. */
  growth(chain: Chain, vault: Vault, state: VaultState, days: number): Promise<VaultGrowth | null>
  /**
   * Simulates a deposit of an owner and a redemption of what came, at the state's block. What the owner lacks is lent by a pool. `null`
   * where no pool holds so much. Throws `SIMULATION_UNAVAILABLE`.
   */
  simulateDeposit(
    chain: Chain,
    vault: Vault,
    state: VaultState,
    asked: { readonly owner: Address; readonly asset: Token; readonly amount: bigint },
  ): Promise<DepositSimulation | null>
  /**
   * Simulates a way out of an owner at the state's block: that many shares, or those that so much of the asset burns. Throws
   * `SIMULATION_UNAVAILABLE`.
   */
  simulateWithdrawal(
    chain: Chain,
    vault: Vault,
    state: VaultState,
    asked: { readonly owner: Address; readonly exit: VaultExit },
  ): Promise<WithdrawalSimulation>
  /** How much a vault holds once its manager has rebalanced it, simulated; `null` where that fails. Throws `SIMULATION_UNAVAILABLE`. */
  simulateRebalance(
    chain: Chain,
    vault: Vault,
    state: VaultState,
    asked: { readonly manager: Address },
  ): Promise<bigint | null>
  /**
   * Plans a deposit: so many shares are minted, and the exact allowance is the most that they may cost. Whether the vault may be used,
   * the engine knows. Throws `VAULT_NOT_SUPPORTED`, `VAULT_NOT_ALLOWED`, `AMOUNT_TOO_SMALL`, `SIMULATION_DRIFT`.
   */
  planDeposit(chain: Chain, vault: Vault, request: VaultDepositRequest): VaultPlan
  /** Plans a way out, by what its simulation showed. Throws `VAULT_NOT_SUPPORTED`, `VAULT_NOT_ALLOWED`, `AMOUNT_TOO_SMALL`. */
  planWithdrawal(
    chain: Chain,
    vault: Vault,
    request: {
      readonly owner: Address
      readonly asset: Token
      readonly slippageBps: number
      readonly simulation: WithdrawalSimulation
    },
  ): VaultPlan
  /**
   * Plans that a vault brings its strategies to their parts, for its manager; a share may be worth ten basis points less afterwards, or
   * nothing happens. Throws `VAULT_NOT_SUPPORTED`, `VAULT_NOT_ALLOWED`, `VAULT_ROLE_MISSING`, `VAULT_BALANCED`, `SIMULATION_DRIFT`.
   */
  planRebalance(
    chain: Chain,
    vault: Vault,
    state: VaultState,
    request: {
      readonly manager: Address
      /** The plan that is carried out, whose bound stays; `null` for a rebalance of its own. */
      readonly kept: Intent | null
    },
  ): LiquidityPlan<VaultRebalance, null>
}

/** How the assets of a vault lie, and how they are meant to. */
export type VaultRebalance = {
  readonly totalAssets: bigint
  /** In no strategy. */
  readonly idle: bigint
  readonly strategies: readonly (VaultStrategy & { readonly target: bigint })[]
}

/** How much leaves a vault: about so much of the asset, or what so many shares bring. */
export type VaultExit = { readonly assets: bigint } | { readonly shares: bigint }

export type VaultDepositRequest = {
  readonly owner: Address
  readonly asset: Token
  /** The most that may leave the wallet. */
  readonly amount: bigint
  /** How many shares that brings at once, as simulated. */
  readonly shares: bigint
  readonly slippageBps: number
  /** The plan that is carried out, whose shares are minted; `null` for a deposit of its own. */
  readonly kept: Intent | null
}
