import { setTimeout as sleep } from 'node:timers/promises'
import { awaitReceipt } from '@svc/devnet'
import { SDK } from 'agent0-sdk'
import { BrowserProvider, ContractFactory } from 'ethers'
import { createPublicClient, createTestClient, createWalletClient, custom, http, type Address, type Hex } from 'viem'
import { identityRegistryAbi as abi } from '../agent/registry/identity-registry.ts'
import type { EIP1193Provider } from './create-eip1193-provider.ts'
import { ProviderRpcError } from './provider-rpc-error.ts'

/** What the script asks of a client, whichever it is. */
export type BridgeClient = {
  accounts(): Promise<readonly string[]>
  chainId(): Promise<number>
  signMessage(message: string): Promise<Hex>
  signTypedData(typedData: TypedData): Promise<Hex>
  send(transaction: { readonly to?: Address; readonly data?: Hex }): Promise<Hex>
  /** Whether it was mined with success. */
  wait(hash: Hex): Promise<boolean>
  /** How many agents an address has at the registry. */
  agents(owner: Address): Promise<bigint>
  deploy(code: Hex): Promise<Hex>
}

export type TypedData = {
  readonly domain: { readonly name: string; readonly version: string; readonly chainId: number }
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

/** Where a client finds the chain. */
export type BridgeWorld = { readonly rpcUrl: string; readonly registry: Address }

export const bridgeClients: Readonly<
  Record<string, (provider: EIP1193Provider, world: BridgeWorld) => Promise<BridgeClient>>
> = { viem: openViem, ethers: openEthers, 'agent0-sdk': openAgent0 }

async function openViem(provider: EIP1193Provider, { registry }: BridgeWorld): Promise<BridgeClient> {
  const wallet = createWalletClient({ transport: custom(provider) })
  const reader = createPublicClient({ transport: custom(provider), pollingInterval: 50, cacheTime: 0 })
  const [account] = await wallet.requestAddresses()
  if (account === undefined) throw new Error('There is no account.')
  return {
    accounts: () => wallet.getAddresses(),
    chainId: () => wallet.getChainId(),
    signMessage: (message) => wallet.signMessage({ account, message }),
    signTypedData: (typedData) => wallet.signTypedData({ account, ...typedData }),
    send: (transaction) => wallet.sendTransaction({ account, chain: null, ...transaction }),
    wait: async (hash) => (await awaitReceipt(reader, hash)).status === 'success',
    agents: (owner) => reader.readContract({ address: registry, abi, functionName: 'balanceOf', args: [owner] }),
    deploy: (bytecode) => wallet.deployContract({ account, chain: null, abi: [], bytecode }),
  }
}

async function openEthers(provider: EIP1193Provider, { registry, rpcUrl }: BridgeWorld): Promise<BridgeClient> {
  const ethers = new BrowserProvider(provider)
  ethers.pollingInterval = 100
  const signer = await ethers.getSigner()
  const reading = ['function balanceOf(address) view returns (uint256)']
  const { Contract } = await import('ethers')
  return {
    accounts: async () => [await signer.getAddress()],
    chainId: async () => Number((await ethers.getNetwork()).chainId),
    signMessage: async (message) => (await signer.signMessage(message)) as Hex,
    signTypedData: async ({ domain, types, message }) => {
      const own = Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, [...fields]]))
      return (await signer.signTypedData(domain, own, message)) as Hex
    },
    send: async (transaction) => (await signer.sendTransaction(transaction)).hash as Hex,
    wait: async (hash) => {
      const receipt = await whileBlocksPass(rpcUrl, () => ethers.waitForTransaction(hash, 1, 60_000))
      return receipt?.status === 1
    },
    agents: async (owner) => await new Contract(registry, reading, ethers).getFunction('balanceOf')(owner),
    deploy: async (code) => {
      const made = await new ContractFactory([], code, signer).deploy()
      return made.deploymentTransaction()!.hash as Hex
    },
  }
}

async function openAgent0(provider: EIP1193Provider, world: BridgeWorld): Promise<BridgeClient> {
  const { chainClient } = openSdk(provider, world)
  // The SDK knows no creation of contracts; what it is given it hands on.
  const send: BridgeClient['send'] = ({ to, data = '0x' }) => chainClient.sendTransaction({ to: to as Address, data })
  return {
    accounts: async () => [await chainClient.ensureAddress()],
    chainId: async () => chainClient.chainId,
    signMessage: async (message) => await chainClient.signMessage(message),
    signTypedData: async ({ domain, types, primaryType, message }) => {
      const own = Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, [...fields]]))
      return await chainClient.signTypedData({ domain, types: own, primaryType, message })
    },
    send,
    wait: async (hash) => {
      const waiting = () => chainClient.waitForTransaction({ hash, timeoutMs: 60_000 })
      return (await whileBlocksPass(world.rpcUrl, waiting)).status === 'success'
    },
    agents: (owner) =>
      chainClient.readContract({ address: world.registry, abi, functionName: 'balanceOf', args: [owner] }),
    deploy: (data) => send({ data }),
  }
}

/** The identity SDK with the provider as its wallet. */
export function openSdk(provider: EIP1193Provider, { rpcUrl, registry }: BridgeWorld): SDK {
  const walletProvider = {
    request: (words: { method: string; params?: unknown[] | Record<string, unknown> }) => provider.request(words),
  }
  return new SDK({ chainId: 31337, rpcUrl, walletProvider, registryOverrides: { 31337: { IDENTITY: registry } } })
}

/**
 * Lets the chain go on meanwhile, as chains of others do. The waits of ethers and viem look again only when a block
 * comes; ethers compares the receipt with a block number from up to 250 ms ago, and finds it too young for ever where
 * blocks come with transactions alone.
 */
async function whileBlocksPass<Result>(rpcUrl: string, act: () => Promise<Result>): Promise<Result> {
  const over = new AbortController()
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  const mine = async () => {
    while (!over.signal.aborted) {
      await node.mine({ blocks: 1 })
      await sleep(100)
    }
  }
  const [result] = await Promise.all([act().finally(() => over.abort()), mine()])
  return result
}

/** The code of the provider's error in a client's, as deep as it buried it. */
export function codeIn(error: unknown, depth = 0): number | null {
  if (typeof error !== 'object' || error === null || depth > 8) return null
  const code: unknown = Reflect.get(error, 'code')
  if (error instanceof ProviderRpcError) return error.code
  for (const member of ['cause', 'error', 'info']) {
    const found = codeIn(Reflect.get(error, member), depth + 1)
    if (found !== null) return found
  }
  return typeof code === 'number' ? code : null
}
