import type { Chain } from '@svc/wallet/core'
import { type Address, isAddressEqual } from 'viem'
import type { Vault, VaultGrowth, Vaults, VaultState } from '../ports.ts'
import { mapQuery, readPast } from '../rpc/query.ts'
import { ToolError } from '../tool-error.ts'
import { pricePerMillionQuery, readVault, readVaultState, type VaultPorts } from './read-vault.ts'
import { planRebalance, simulateRebalance, planDeposit, planWithdrawal } from './plan-vault.ts'
import { simulateWithdrawal, simulateDeposit, type SimulationPorts } from './simulate-moves.ts'

/** Vaults with ERC-4626's interface. What a vault is, is remembered; each state says whether it still is that. */
export function createVaults(ports: VaultPorts & SimulationPorts & NamedVaults): Vaults {
  const known = new Map<string, Vault>()
  const keyOf = (chain: Chain, address: Address) => `${chain.id}:${address.toLowerCase()}`
  return {
    named: ({ id }) => ports.named(id),
    async find(chain, address) {
      const key = keyOf(chain, address)
      const vault = known.get(key) ?? (await readVault(ports, chain, address))
      if (known.size >= mostKnown) known.clear()
      known.set(key, vault)
      return vault
    },
    async state(chain, vault, asked) {
      try {
        return await readVaultState(ports, chain, vault, asked)
      } catch (error) {
        known.delete(keyOf(chain, vault.address))
        throw error
      }
    },
    growth: (chain, vault, state, days) => readGrowth(ports, chain, vault, { state, days }),
    simulateDeposit: (chain, vault, state, asked) => simulateDeposit(ports, chain, vault, { state, ...asked }),
    simulateWithdrawal: (chain, vault, state, { owner, exit }) =>
      simulateWithdrawal(ports, chain, vault, { state, owner, exit }),
    simulateRebalance: (chain, vault, state, { manager }) => simulateRebalance(ports, chain, vault, { state, manager }),
    planDeposit(chain, vault, request) {
      requireNamed(ports, chain, vault)
      return planDeposit(chain, vault, request)
    },
    planRebalance(chain, vault, state, request) {
      requireNamed(ports, chain, vault)
      requireNamedStrategies(ports, chain, state)
      return planRebalance(chain, vault, state, request)
    },
    planWithdrawal(chain, vault, request) {
      requireNamed(ports, chain, vault)
      return planWithdrawal(chain, vault, request)
    },
  }
}

const mostKnown = 2_000

/** Those that the operator names on a chain: nothing is planned with others. */
export type NamedVaults = { readonly named: (chainId: number) => readonly Address[] }

function requireNamed({ named }: NamedVaults, chain: Chain, { address }: Vault): void {
  const all = named(chain.id)
  if (all.some((one) => isAddressEqual(one, address))) return
  const accepted = all.length === 0 ? 'none: the policy names no vault of this chain' : all.join(', ')
  const message = 'The policy does not name this vault.'
  throw new ToolError('VAULT_NOT_ALLOWED', message, { details: [{ field: 'vault', message, accepted }] })
}

/** What depositors put in goes into vaults that the operator names, and into no others; out of others it may come. */
function requireNamedStrategies({ named }: NamedVaults, chain: Chain, { strategies }: VaultState): void {
  const all = named(chain.id)
  const strange = (strategies ?? []).find(
    ({ vault, targetBps }) => targetBps > 0 && !all.some((one) => isAddressEqual(one, vault)),
  )
  if (strange === undefined) return
  const message = 'The policy does not name a strategy of this vault, so nothing is moved into it.'
  throw new ToolError('VAULT_NOT_ALLOWED', message, {
    details: [{ field: 'vault', message, strategy: strange.vault, accepted: all.join(', ') }],
  })
}

async function readGrowth(
  { rpc }: VaultPorts,
  chain: Chain,
  vault: Vault,
  { state: { head, pricePerMillion }, days }: { readonly state: VaultState; readonly days: number },
): Promise<VaultGrowth | null> {
  const blockNumber = head.number - BigInt(Math.round((days * daySeconds) / chain.blockTimeSeconds))
  if (blockNumber <= 0n || pricePerMillion === null) return null
  const timed = mapQuery(
    pricePerMillionQuery(vault),
    (price) => (at: number) => (price === null ? null : { price, at }),
  )
  const past = await readPast(rpc, chain, timed, blockNumber)
  // An endpoint may date the older block later than the newest one.
  if (past === null || past.price === 0n || past.at <= 0 || past.at >= Number(head.timestamp)) return null
  const years = (Number(head.timestamp) - past.at) / (365 * daySeconds)
  const apyPct = ((Number(pricePerMillion) / Number(past.price)) ** (1 / years) - 1) * 100
  return {
    sharePrice: past.price / 1_000_000n,
    at: past.at,
    apyPct: Math.abs(apyPct) <= mostApyPct ? Math.round(apyPct * 1e4) / 1e4 : null,
  }
}

const daySeconds = 86_400

/** A price that somebody pushed says nothing of a year. */
const mostApyPct = 100_000
