import { type Address, encodeDeployData, encodeFunctionData, type Hex, maxUint256, parseUnits } from 'viem'
import { tokenAbi } from '../abis.ts'
import type { Call } from '../chain/block-writer.ts'
import { giveCalls } from '../chain/fund.ts'
import { agentVault } from '../contracts.gen.ts'
import type { DevnetVault } from '../devnet.ts'
import { type Layout, type VaultKey, vaultSpecs } from './layout.ts'
import { decimalsOf } from './market.ts'
import type { TokenSymbol } from './token-specs.ts'

export function describeVaults({ tokens, vaults }: Layout): readonly DevnetVault[] {
  return vaultSpecs.map(({ key, token, name }) => ({ label: name, address: vaults[key], asset: tokens[token] }))
}

export function deployVaultCalls({ roles, tokens }: Layout): readonly Call[] {
  return vaultSpecs.map(({ token, name, symbol, cap }) => {
    const most = cap === null ? maxUint256 : parseUnits(cap, decimalsOf(token))
    const data = encodeDeployData({ ...agentVault, args: [tokens[token], name, symbol, roles.deployer, most] })
    return { from: roles.deployer, data, gas: 4_000_000n, what: `deploy ${name}` }
  })
}

/** Two depositors, six tenths of the dollars lent on, and what was earned since: a share is worth more than was paid for it. */
export function fillVaultCalls(layout: Layout): readonly Call[] {
  const { roles, tokens, vaults } = layout
  const [first = roles.bank, second = roles.bank] = roles.providers
  const units = (token: TokenSymbol, amount: string) => parseUnits(amount, decimalsOf(token))
  const deposit = (key: VaultKey, from: Address, token: TokenSymbol, amount: string): readonly Call[] => [
    toToken(from, tokens[token], vaults[key], units(token, amount)),
    toVault(
      from,
      vaults[key],
      encodeFunctionData({ abi, functionName: 'deposit', args: [units(token, amount), from] }),
    ),
  ]
  const manage = (data: Hex) => toVault(roles.deployer, vaults.USDC, data)
  const lending = [{ vault: vaults.lending, targetBps: 6_000n }]
  return [
    ...deposit('USDC', first, 'USDC', '400000'),
    ...deposit('USDC', second, 'USDC', '100000'),
    ...deposit('WETH', first, 'WETH', '120'),
    manage(encodeFunctionData({ abi, functionName: 'setStrategies', args: [lending] })),
    manage(encodeFunctionData({ abi, functionName: 'rebalance', args: [0n, 0n] })),
    ...giveCalls(layout, vaults.lending, 'USDC', units('USDC', '17500')),
    ...giveCalls(layout, vaults.WETH, 'WETH', units('WETH', '1.5')),
  ]
}

const { abi } = agentVault

function toToken(from: Address, token: Address, spender: Address, amount: bigint): Call {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, amount] })
  return { from, to: token, data, gas: 100_000n, what: 'approve a vault' }
}

function toVault(from: Address, to: Address, data: Hex): Call {
  return { from, to, data, gas: 800_000n, what: 'set a vault up' }
}
