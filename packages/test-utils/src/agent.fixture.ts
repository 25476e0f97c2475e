import { registerAgent, ServiceWallet, type AgentRegistrationConfig, type RegisteredAgent } from '@svc/wallet'
import { keccak256, stringToHex } from 'viem'

export const rpcUrl = 'https://rpc.example/v1'
export const apiUrl = 'https://support.example'
export const chainId = 84532

/** A local wallet on Base Sepolia, whose endpoint is intercepted; the same name gives the same wallet. */
export function walletOf(name: string): ServiceWallet {
  return new ServiceWallet({
    mode: 'local',
    privateKey: keccak256(stringToHex(name)),
    chainId,
    rpcUrls: { [chainId]: rpcUrl },
    appId: 'app-1',
  })
}

export function register(wallet: ServiceWallet, change: Partial<AgentRegistrationConfig> = {}) {
  const asked = { name: 'Ada', role: 'vault_manager', mcpEndpoint: 'https://agent.example/mcp' } as const
  return registerAgent(wallet, { ...asked, apiUrl, env: {}, ...change })
}

/** Throws what it came to when that is no registration. */
export async function registered(
  wallet: ServiceWallet,
  change: Partial<AgentRegistrationConfig> = {},
): Promise<RegisteredAgent> {
  const result = await register(wallet, change)
  if (result.status !== 'registered') throw new Error(`It is ${result.status}: ${JSON.stringify(result.attempts)}`)
  return result
}

/** As where the identity SDK is not installed. */
export const withoutSdk: Partial<AgentRegistrationConfig> = {
  loadIdentitySdk: () =>
    Promise.reject(Object.assign(new Error("Cannot find package 'agent0-sdk'"), { code: 'ERR_MODULE_NOT_FOUND' })),
}
